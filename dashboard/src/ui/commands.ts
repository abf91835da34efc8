/** Shell commands that call the API with a key. They read its address and the key from two variables. */

/** A text in single quotes for a shell. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** Sets the address that every command reads. */
export const exportBaseUrl = () => `export TURNPIKE_BASE_URL=${location.origin}`

interface Request {
  method?: "GET" | "POST" | "PUT"
  body?: object
  /** The value of Idempotency-Key, as the shell expands it. */
  once?: string
  /** A file to upload. */
  file?: string
}

/** A request with the key in TURNPIKE_API_KEY. */
export const keyCurl = (path: string, { method = "GET", body, once, file }: Request = {}) =>
  [
    `curl -s ${method === "PUT" ? "-X PUT " : ""}"$TURNPIKE_BASE_URL${path}"`,
    `  -H "Authorization: Bearer $TURNPIKE_API_KEY"`,
    ...(once ? [`  -H "Idempotency-Key: ${once}"`] : []),
    ...(body ? [`  -H "Content-Type: application/json"`, `  -d ${quoted(JSON.stringify(body))}`] : []),
    ...(file ? [`  -F ${quoted(`file=@${file}`)}`] : []),
  ].join(" \\\n")

/** A request that runs as it is, once the key is in TURNPIKE_API_KEY. */
export const wholeCurl = (path: string, request?: Request) => `${exportBaseUrl()}\n${keyCurl(path, request)}`

/** A new value of Idempotency-Key each time the command runs. */
const eachTime = (name: string) => `${name}-$(date +%s)`

/** The fields of a turn that snippets show. */
export interface SnippetTurn {
  /** Undefined: the code creates a space first. */
  space?: string | undefined
  end_user_ref: string
  text: string
  model?: string | undefined
  max_cost_usd?: number | string | undefined
  max_output_tokens?: number | undefined
  temperature?: number | undefined
  reasoning?: { effort: string } | undefined
  response_format?: object | undefined
  conversation?: string | undefined
}

/** Sends a turn: to `space`, or to a new space that the command creates. */
export function turnCurl({ space, ...turn }: SnippetTurn): string {
  if (space) return keyCurl("/v1/turns", { method: "POST", once: eachTime("turn"), body: { space, ...turn } })
  const made = keyCurl("/v1/spaces", { method: "POST", once: eachTime("space"), body: { title: "First" } })
  const sent = keyCurl("/v1/turns", { method: "POST", once: eachTime("turn"), body: { space: "SPACE", ...turn } })
  return `SPACE=$(${made} \\\n  | sed 's/.*"space_id":"\\([^"]*\\)".*/\\1/')\n\n${sent.replace('"SPACE"', `"'$SPACE'"`)}`
}

/** The first turn of an account. */
export const GREETING = { end_user_ref: "customer-1", text: "Say hello in one sentence." }

/** The first turn as commands that run as they are. */
export const firstTurnCurl = (space: string | undefined) => `${exportBaseUrl()}\n\n${turnCurl({ space, ...GREETING })}`

interface AskedTurn {
  space: string
  end_user_ref: string
  text: string
  model?: string
  max_cost_usd?: number
  conversation?: string
}

/** A text in single quotes for a shell. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** A request as a curl command, with the key in TURNPIKE_API_KEY. */
export const curlOf = (path: string, body: object) =>
  [
    `curl -s ${location.origin}${path}`,
    `  -H "Authorization: Bearer $TURNPIKE_API_KEY"`,
    `  -H "Idempotency-Key: ${path.split("/").at(-1)}-$(date +%s)"`,
    `  -H "Content-Type: application/json"`,
    `  -d ${quoted(JSON.stringify(body))}`,
  ].join(" \\\n")

/** The request of a turn as a curl command. */
export const turnAsCurl = (turn: AskedTurn) => curlOf("/v1/turns", turn)

const GREETING = { end_user_ref: "customer-1", text: "Say hello in one sentence." }

/** The first turn with a key: in `space`, or in a new space that the command creates. */
export const firstTurnAsCurl = (space: string | undefined) =>
  space ? turnAsCurl({ space, ...GREETING }) : inNewSpace()

const inNewSpace = () =>
  `SPACE=$(${curlOf("/v1/spaces", { title: "First" })} \\\n  | sed 's/.*"space_id":"\\([^"]*\\)".*/\\1/')\n\n` +
  turnAsCurl({ space: "SPACE", ...GREETING }).replace('"SPACE"', `"'$SPACE'"`)

/** The request of a turn as code for the TypeScript client. */
export function turnAsTypeScript(turn: AskedTurn): string {
  const fields = Object.entries(turn)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `  ${name}: ${JSON.stringify(value)},`)
  return `import { Turnpike } from "turnpike-client"

const turnpike = new Turnpike({
  apiKey: process.env.TURNPIKE_API_KEY,
  baseUrl: ${JSON.stringify(location.origin)},
})

const turn = await turnpike.turns.run({
${fields.join("\n")}
})
console.log(turn.state, turn.result, turn.billed_cost_usd)`
}

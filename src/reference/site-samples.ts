import { CLIENT_START, DIALECT_STARTS, PYTHON_START } from "./guides.ts"
import type { JsonValue } from "./json-value.ts"
import { pythonLiteral } from "./python-sample.ts"

/** The parts of a described operation that a sample sends. */
export interface SampledOperation {
  method: string
  path: string
  parameters: { name: string; in: string; required: boolean; example?: unknown }[]
  body: JsonValue | undefined
  /** True if the request body is a file. */
  isUpload: boolean
  /** The sample for the TypeScript client, and that for the Python client. */
  client: { source: string; label: string } | undefined
  pythonClient: string | undefined
}

/** Ids in examples, by prefix. Samples read the reader's own id from a variable. */
const VARIABLES: Record<string, string> = {
  spc: "TURNPIKE_SPACE",
  turn: "TURNPIKE_TURN",
  resp: "TURNPIKE_RESPONSE",
  file: "TURNPIKE_FILE",
  whk: "TURNPIKE_WEBHOOK",
  dlv: "TURNPIKE_DELIVERY",
  evt: "TURNPIKE_EVENT",
  era: "TURNPIKE_ERASURE",
  conv: "TURNPIKE_CONVERSATION",
}
const ID = new RegExp(`\\b(${Object.keys(VARIABLES).join("|")})_01[0-9a-z]{24}\\b`, "g")
const QUOTED_ID = new RegExp(`"${ID.source}"`, "g")

const variableOf = (prefix: string) => VARIABLES[prefix] ?? ""

/** The content of the file that samples upload. */
const FILE_TEXT = "Order A-1, paid."

/** An operation with the clients, and with curl. Without a client, Python uses its standard library. */
export function samplesOf(operation: SampledOperation): { lang: string; text: string }[] {
  const { client, pythonClient } = operation
  return [
    ...(client ? [{ lang: "typescript", text: typescriptOf(client) }] : []),
    { lang: "python", text: pythonClient ? pythonWithClient(pythonClient) : pythonOf(operation) },
    { lang: "bash", text: curlOf(operation) },
  ]
}

function typescriptOf({ source, label }: { source: string; label: string }): string {
  const call = source.replace(QUOTED_ID, (_match, prefix: string) => `process.env.${variableOf(prefix)}!`)
  const start = DIALECT_STARTS[label] ?? CLIENT_START
  return `${start}${call.startsWith("await ") ? `console.log(${call})` : call}`
}

/** Python reads the reader's ids from variables too. */
const inPython = (literal: string) =>
  literal.replace(QUOTED_ID, (_match, prefix: string) => `os.environ["${variableOf(prefix)}"]`)

const pythonWithClient = (call: string) => `${PYTHON_START}${inPython(call)}`

/** The path with its parameters and its query. */
function targetOf({ path, parameters }: SampledOperation, inside: (id: string) => string): string {
  const exampleFor = (name: string, place: string) =>
    parameters.find((one) => one.in === place && one.name === name)?.example
  const filled = path.replace(/\{(\w+)\}/g, (_match, name: string) =>
    encodeURIComponent(String(exampleFor(name, "path") ?? name)),
  )
  const query = parameters
    .filter((one) => one.in === "query" && one.example !== undefined)
    .map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`)
    .join("&")
  return (filled + (query ? `?${query}` : "")).replace(ID, (_match, prefix: string) => inside(variableOf(prefix)))
}

const isKeyed = ({ parameters }: SampledOperation) => parameters.some(({ name }) => name === "Idempotency-Key")

function curlOf(operation: SampledOperation): string {
  const { method, body, isUpload } = operation
  const target = targetOf(operation, (name) => `$${name}`)
  const lines = [`curl ${method === "get" ? "" : `-X ${method.toUpperCase()} `}"$TURNPIKE_BASE_URL${target}"`]
  lines.push('-H "Authorization: Bearer $TURNPIKE_API_KEY"')
  if (isKeyed(operation)) lines.push('-H "Idempotency-Key: $(openssl rand -hex 8)"')
  if (isUpload) lines.push('-H "Content-Type: application/octet-stream"', `--data-binary '${FILE_TEXT}'`)
  if (body) {
    const text = JSON.stringify(body, null, 2).replaceAll("'", "'\\''")
    lines.push(
      '-H "Content-Type: application/json"',
      `-d '${text.replace(ID, (_match, prefix: string) => `'$${variableOf(prefix)}'`)}'`,
    )
  }
  return lines.join(" \\\n  ")
}

function pythonOf(operation: SampledOperation): string {
  const { method, body, isUpload } = operation
  const target = targetOf(operation, (name) => `" + os.environ["${name}"] + "`)
  const headers = [`"Authorization": "Bearer " + os.environ["TURNPIKE_API_KEY"],`]
  if (isKeyed(operation)) headers.push('"Idempotency-Key": str(uuid.uuid4()),')
  if (isUpload) headers.push('"Content-Type": "application/octet-stream",')
  if (body) headers.push('"Content-Type": "application/json",')
  const data = isUpload ? `b"${FILE_TEXT}"` : body && `json.dumps(${pythonLiteral(body, "    ", inPython)}).encode()`
  const modules = [...(body ? ["json"] : []), "os", "urllib.request", ...(isKeyed(operation) ? ["uuid"] : [])]
  return `import ${modules.join(", ")}

request = urllib.request.Request(
    os.environ["TURNPIKE_BASE_URL"] + "${target}",
    method="${method.toUpperCase()}",
    headers={
        ${headers.join("\n        ")}
    },
${data ? `    data=${data},\n` : ""})
with urllib.request.urlopen(request, timeout=60) as response:
    print(response.status, response.read().decode())`.replaceAll(' + ""', "")
}

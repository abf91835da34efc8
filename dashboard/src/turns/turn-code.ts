import { CLIENT_PACKAGE } from "../api/client-package.ts"
import type { SnippetTurn } from "../ui/commands.ts"

/** Installs the client from this service, so that it needs no other network. */
export const installCommand = () => `npm install ${location.origin}${CLIENT_PACKAGE}`

const given = (turn: object) => Object.entries(turn).filter(([, value]) => value !== undefined)

/** The request of a turn for the TypeScript client, which reads the address and the key from the environment. */
export function turnAsTypeScript({ space, ...turn }: SnippetTurn): string {
  const fields = given(turn).map(([name, value]) => `  ${name}: ${JSON.stringify(value)},`)
  const made = space ? "" : 'const space = await turnpike.spaces.create({ title: "First" })\n'
  return `import { Turnpike } from "turnpike-client"

// Reads TURNPIKE_BASE_URL and TURNPIKE_API_KEY.
const turnpike = new Turnpike()

${made}const turn = await turnpike.turns.run({
  space: ${space ? JSON.stringify(space) : "space.space_id"},
${fields.join("\n")}
})
console.log(turn.state, turn.result, turn.billed_cost_usd)`
}

/** A function that calls the API with the standard library of Python. */
const PYTHON_CALL = [
  "import json, os, urllib.request, uuid",
  "",
  "def call(method, path, body=None):",
  "    request = urllib.request.Request(",
  '        os.environ["TURNPIKE_BASE_URL"] + path,',
  "        method=method,",
  "        data=json.dumps(body).encode() if body else None,",
  "        headers={",
  '            "Authorization": "Bearer " + os.environ["TURNPIKE_API_KEY"],',
  '            "Content-Type": "application/json",',
  '            "Idempotency-Key": str(uuid.uuid4()),',
  "        },",
  "    )",
  "    with urllib.request.urlopen(request) as response:",
  "        return json.load(response)",
  "",
].join("\n")

/** The request of a turn as Python, with its standard library alone. */
export function turnAsPython({ space, ...turn }: SnippetTurn): string {
  const fields = given(turn).map(([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},`)
  const made = space ? "" : 'space = call("POST", "/v1/spaces", {"title": "First"})["space_id"]\n'
  return `${PYTHON_CALL}
${made}turn = call("POST", "/v1/turns", {
    "space": ${space ? JSON.stringify(space) : "space"},
${fields.join("\n")}
})
while not turn["finished_at"]:
    turn = call("GET", "/v1/turns/" + turn["turn_id"] + "?wait=30")
print(turn["state"], turn["result"], turn["billed_cost_usd"])`
}

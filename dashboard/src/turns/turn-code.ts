import { CLIENT_PACKAGE, CLIENT_PATH, PYTHON_CLIENT_PATH, PYTHON_MODULE } from "../api/client-package.ts"
import type { SnippetTurn } from "../ui/commands.ts"

/** Installs the client from this service, so that it needs no other network. */
export const installCommand = () => `npm install ${location.origin}${CLIENT_PATH}`

/** Installs the Python client from this service. Its only dependency is httpx. */
export const pipCommand = () => `pip install ${location.origin}${PYTHON_CLIENT_PATH}`

const given = (turn: object) => Object.entries(turn).filter(([, value]) => value !== undefined)

/** The request of a turn for the TypeScript client, which reads the address and the key from the environment. */
export function turnAsTypeScript({ space, ...turn }: SnippetTurn): string {
  const fields = given(turn).map(([name, value]) => `  ${name}: ${JSON.stringify(value)},`)
  const made = space ? "" : 'const space = await turnpike.spaces.create({ title: "First" })\n'
  return `import { Turnpike } from "${CLIENT_PACKAGE}"

// Reads TURNPIKE_BASE_URL and TURNPIKE_API_KEY.
const turnpike = new Turnpike()

${made}const turn = await turnpike.turns.run({
  space: ${space ? JSON.stringify(space) : "space.space_id"},
${fields.join("\n")}
})
console.log(turn.state, turn.result, turn.billed_cost_usd)`
}

/** The request of a turn for the Python client, which reads the address and the key from the environment. */
export function turnAsPython({ space, ...turn }: SnippetTurn): string {
  const fields = given(turn).map(([name, value]) => `    ${name}=${JSON.stringify(value)},`)
  const made = space ? "" : 'space = turnpike.spaces.create(title="First")\n'
  return `from ${PYTHON_MODULE} import Turnpike

# Reads TURNPIKE_BASE_URL and TURNPIKE_API_KEY.
turnpike = Turnpike()

${made}turn = turnpike.turns.run(
    space=${space ? JSON.stringify(space) : "space.space_id"},
${fields.join("\n")}
)
print(turn.state, turn.result, turn.billed_cost_usd)`
}

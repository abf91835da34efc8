import { expect, test } from "vitest"
import { connectMcp, mcpTools } from "../../src/tools/mcp-tools.ts"
import { createSecrets } from "../../src/tools/secrets.ts"
import { failureOf } from "../harness/answers.ts"
import { connectToMcp, type McpMessage } from "../harness/mcp.ts"

const server = {
  name: "fake",
  url: "https://mcp.customer.com/mcp",
  headers: { authorization: "Bearer {{secrets.KEY}}" },
}
const storeImage = async () => ""

/** Connects, lists and calls with `KEY`, which the server repeats in each error to `method`. */
async function errorOf(method: string, key: string, said: (header: string) => string): Promise<string> {
  const answer = (message: McpMessage, request: Request) =>
    message.method === method
      ? Response.json({
          jsonrpc: "2.0",
          id: message.id,
          error: { code: -32_000, message: said(request.headers.get("authorization") ?? "") },
        })
      : undefined
  const { outbound, clock } = connectToMcp({ answer })
  const deps = { outbound, clock, secrets: createSecrets({ KEY: key }), signal: new AbortController().signal }
  try {
    const connection = await connectMcp(deps, server)
    const [tool] = await mcpTools(deps, { server, connection, storeImage })
    const place = { key: "k", step: 0, call: 0, agent: null, signal: deps.signal, mayStart: async () => true }
    return JSON.stringify(await tool?.run({}, place))
  } catch (error) {
    const { message, stack } = error as Error
    expect(stack).not.toContain("canary")
    return message
  }
}

test.each(["initialize", "tools/list", "tools/call"])(
  "A server that repeats a secret in its error to %s does not reveal it",
  async (method) => {
    const shown = await errorOf(method, "canary two  spaces", (header) => `refused: ${header}`)
    expect(shown).toContain("refused: Bearer ••••••")
    expect(shown).not.toContain("canary")
    const cut = await errorOf(
      method,
      "canary-of-some-length",
      (header) => `${"x".repeat(450)}${header}${"y".repeat(9000)}`,
    )
    expect(cut).not.toContain("canary")
    expect(cut.length).toBeLessThan(5000)
  },
)

test("The error for a secret that no header can carry does not contain the secret", async () => {
  const deps = { ...connectToMcp(), secrets: createSecrets({ KEY: "canary\nx" }), signal: new AbortController().signal }
  const error = await failureOf(connectMcp(deps, server))
  expect(error).toMatchObject({ name: "McpError", kind: "unreachable" })
  expect(`${error?.message}${error?.stack}`).not.toContain("canary")
})

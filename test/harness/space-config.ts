import { orderTool } from "./customer.ts"
import type { TestClient } from "./world.ts"

const { name: _name, ...orders } = orderTool()

/** A tool's definition and an MCP server's, as PUT takes them. */
export const definition = orders
export const server = { url: "https://mcp.customer.com/mcp", headers: { authorization: "Bearer {{secrets.TOKEN}}" } }

/** Status and body of an answer. */
export async function json(response: Promise<Response>): Promise<[number, Record<string, unknown>]> {
  const answered = await response
  return [answered.status, (await answered.json()) as Record<string, unknown>]
}

export const versionOf = async (client: TestClient, space: string) =>
  (await json(client.call("GET", `/v1/spaces/${space}`)))[1].config_version

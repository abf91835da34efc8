import { readJson } from "./answers.ts"
import { orderTool } from "./customer.ts"
import type { TestClient } from "./world.ts"

const { name: _name, ...orders } = orderTool()

/** Definitions of a tool and of an MCP server, as PUT accepts them. */
export const toolDefinition = orders
export const mcpServerDefinition = {
  url: "https://mcp.customer.com/mcp",
  headers: { authorization: "Bearer {{secrets.TOKEN}}" },
}

export const versionOf = async (client: TestClient, space: string) =>
  (await readJson(client.call("GET", `/v1/spaces/${space}`)))[1].config_version

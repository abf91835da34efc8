import { type McpMessage, mcpResult } from "./mcp.ts"
import { createRandom } from "./random.ts"
import { type CatalogueTool, makeCatalogue } from "./tool-catalogue.ts"
import type { World } from "./world.ts"

/** MCP servers with a random catalogue, each at `NAME.tools.com`. They record how often they list their tools. */
export function serveCatalogue(
  world: Pick<World, "serve">,
  { servers = 9, tools = 20 }: { servers?: number; tools?: number } = {},
) {
  const catalogue = makeCatalogue(createRandom("servers"), { servers, tools })
  const listed: string[] = []
  const called: { tool: string; input: unknown }[] = []
  const names = [...new Set(catalogue.map(({ server }) => server))]
  for (const name of names) {
    const own = catalogue.filter(({ server }) => server === name)
    world.serve(`${name}.tools.com`, async (request) => {
      if (request.method !== "POST") return new Response(null, { status: 405 })
      const { id, method, params } = (await request.json()) as McpMessage & { params?: { arguments?: unknown } }
      if (id === undefined) return new Response(null, { status: 202 })
      if (method === "initialize") {
        const serverInfo = { name, version: "1" }
        return mcpResult(id, { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo })
      }
      if (method === "tools/list") {
        listed.push(name)
        return mcpResult(id, { tools: own.map(({ spec }) => ({ ...spec, name: plainName(spec.name) })) })
      }
      called.push({ tool: `${name}__${params?.name}`, input: params?.arguments })
      return mcpResult(id, { content: [{ type: "text", text: `called ${params?.name}` }] })
    })
  }
  const mcp_servers = names.map((name) => ({ name, url: `https://${name}.tools.com/mcp` }))
  return { catalogue, listed, called, mcp_servers }
}

const plainName = (name: string) => name.slice(name.indexOf("__") + 2)

/** The name of a tool of a catalogue, and an input that its schema accepts. */
export const validInputOf = ({ spec }: CatalogueTool) => ({
  [(spec.inputSchema.required as [string])[0]]: "A-1",
})

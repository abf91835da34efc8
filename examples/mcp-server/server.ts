import { createHash, timingSafeEqual } from "node:crypto"
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import express from "express"
import * as z from "zod"

const { ORDERS_TOKEN = "", PORT = "3001" } = process.env
if (ORDERS_TOKEN.length < 16) throw new Error("Set ORDERS_TOKEN to a secret of at least 16 characters.")

/** Replace this by your database. */
const orders = new Map([["A-1", { status: "shipped", arrives: "2026-12-01" }]])

/** The tools that an agent can call. */
function createServer(): McpServer {
  const server = new McpServer({ name: "orders", version: "1.0.0" })
  server.registerTool(
    "lookup_order",
    { description: "Finds an order by its id, such as A-1.", inputSchema: { id: z.string().max(40) } },
    async ({ id }) => {
      const order = orders.get(id)
      if (!order) return { isError: true, content: [{ type: "text", text: `There is no order ${id}.` }] }
      return { content: [{ type: "text", text: JSON.stringify(order) }] }
    },
  )
  return server
}

const hashOf = (text: string) => createHash("sha256").update(text).digest()
const isAllowed = (header: string | undefined) =>
  timingSafeEqual(hashOf(header ?? ""), hashOf(`Bearer ${ORDERS_TOKEN}`))

const app = express()
app.post("/mcp", express.json(), async (request, response) => {
  if (!isAllowed(request.headers.authorization)) return void response.status(401).json({ error: "UNAUTHORIZED" })
  // Without sessions: every request has a server of its own, so any number of processes can serve them.
  const server = createServer()
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
  response.on("close", () => void server.close())
  await server.connect(transport)
  await transport.handleRequest(request, response, request.body)
})
// Without sessions there is no stream to open, and no session to end.
app.all("/mcp", (_request, response) => void response.status(405).json({ error: "METHOD_NOT_ALLOWED" }))
app.listen(Number(PORT), "127.0.0.1", () => console.log(`Listening on http://localhost:${PORT}/mcp`))

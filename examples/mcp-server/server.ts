import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import { verifyToolRequest } from "@turnpike-turns/client"
import express, { type NextFunction, type Request, type Response } from "express"
import * as z from "zod"

const { PORT = "3001", ORDERS_ORIGIN = `http://127.0.0.1:${PORT}` } = process.env

/** Replace this by your database. */
const orders = new Map([["A-1", { customer: "customer-42", status: "shipped", arrives: "2026-12-01" }]])

/** The tools that an agent can call for one customer. */
function createServer(customer: string): McpServer {
  const server = new McpServer({ name: "orders", version: "1.0.0" })
  server.registerTool(
    "lookup_order",
    { description: "Finds an order by its id, such as A-1.", inputSchema: { id: z.string().max(40) } },
    async ({ id }) => {
      const order = orders.get(id)
      // The model chooses the order, and never the customer.
      if (order?.customer !== customer)
        return { isError: true, content: [{ type: "text", text: `There is no order ${id}.` }] }
      return { content: [{ type: "text", text: JSON.stringify(order) }] }
    },
  )
  return server
}

/** Lets only requests of Turnpike pass, and notes for which of your customers they are made. */
async function identify(request: Request, response: Response, next: NextFunction): Promise<void> {
  try {
    const { end_user_ref } = await verifyToolRequest(request, { audience: ORDERS_ORIGIN })
    response.locals.customer = end_user_ref ?? ""
    next()
  } catch {
    response.status(401).json({ error: "UNAUTHORIZED" })
  }
}

const app = express()
// The token has the digest of the raw body, so it is parsed later.
app.post("/mcp", express.raw({ type: "application/json" }), identify, async (request, response) => {
  // Without sessions: every request has a server of its own, so any number of processes can serve them.
  const server = createServer(response.locals.customer)
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
  response.on("close", () => void server.close())
  await server.connect(transport)
  await transport.handleRequest(request, response, JSON.parse(String(request.body)))
})
// Without sessions there is no stream to open, and no session to end.
app.all("/mcp", (_request, response) => void response.status(405).json({ error: "METHOD_NOT_ALLOWED" }))
app.listen(Number(PORT), "127.0.0.1", () => console.log(`Listening on http://localhost:${PORT}/mcp`))

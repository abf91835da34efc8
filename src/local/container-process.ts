import "./loopback.ts"
import { Server as HttpServer, type IncomingMessage, type ServerResponse } from "node:http"
import { isOfThisMachine } from "./service.ts"

/**
 * Runs the published MCP server as the container of `npm start`, on the port `PORT` and at the path `MCP_PATH`. It
 * exits when its standard input closes, which happens when its parent process ends or is killed.
 */
process.stdin.on("end", () => process.exit()).resume()

const path = process.env.MCP_PATH
// A tool of the server prints its variables.
delete process.env.MCP_PATH

// Without this, pages of other sites and other users of this machine could call the server, which knows no keys.
const emit = HttpServer.prototype.emit as (this: HttpServer, event: string, ...rest: unknown[]) => boolean
HttpServer.prototype.emit = function (this: HttpServer, event: string, ...rest: unknown[]) {
  if (event !== "request") return emit.call(this, event, ...rest)
  const [request, response] = rest as [IncomingMessage, ServerResponse]
  const isAllowed = isOfThisMachine(request)
  if (isAllowed && request.url === path) {
    request.url = "/mcp"
    return emit.call(this, event, ...rest)
  }
  response.writeHead(isAllowed ? 404 : 403).end()
  return true
} as typeof HttpServer.prototype.emit

process.argv[2] = "streamableHttp"
await import(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"))

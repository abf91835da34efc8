import { Server as HttpServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Server } from "node:net"
import { isOfThisMachine } from "./service.ts"

/**
 * Runs the published MCP server as the container of `npm start`, on the port `PORT`. It exits when its standard input
 * closes, which happens when its parent process ends or is killed.
 */
process.stdin.on("end", () => process.exit()).resume()

// Without this, the server would listen on every interface of this machine.
const listen = Server.prototype.listen as (this: Server, port: unknown, ...rest: unknown[]) => Server
Server.prototype.listen = function (this: Server, port: unknown, ...rest: unknown[]) {
  const ready = rest.find((item) => typeof item === "function")
  return listen.call(this, Number(port), "127.0.0.1", ready)
} as typeof Server.prototype.listen

// Without this, pages of other sites could call the server.
const emit = HttpServer.prototype.emit as (this: HttpServer, event: string, ...rest: unknown[]) => boolean
HttpServer.prototype.emit = function (this: HttpServer, event: string, ...rest: unknown[]) {
  if (event !== "request" || isOfThisMachine(rest[0] as IncomingMessage)) return emit.call(this, event, ...rest)
  ;(rest[1] as ServerResponse).writeHead(403).end()
  return true
} as typeof HttpServer.prototype.emit

process.argv[2] = "streamableHttp"
await import(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"))

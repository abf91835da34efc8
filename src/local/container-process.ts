import { Server } from "node:net"

/**
 * The published MCP server as a container of `npm start`: `PORT` says where. It ends with whoever started it, since its standard input
 * ends then, also when that one was killed.
 */
process.stdin.on("end", () => process.exit()).resume()

// It would listen on every interface of this machine.
const listen = Server.prototype.listen as (this: Server, port: unknown, ...rest: unknown[]) => Server
Server.prototype.listen = function (this: Server, port: unknown, ...rest: unknown[]) {
  const ready = rest.find((item) => typeof item === "function")
  return listen.call(this, Number(port), "127.0.0.1", ready)
} as typeof Server.prototype.listen

process.argv[2] = "streamableHttp"
await import("@modelcontextprotocol/server-everything/dist/index.js" as string)

import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { join } from "node:path"
import { freePort } from "../../src/local/postgres.ts"

const PROGRAM = join(import.meta.dirname, "../../src/local/container-process.ts")

/**
 * A published MCP server over Streamable HTTP. The first connection starts it, since most test runs
 * need none.
 */
export async function serveMcp() {
  const port = await freePort()
  let child: ChildProcess | undefined
  let started: Promise<unknown> | undefined

  async function start() {
    // The server ends when its standard input closes, which is when this process ends.
    child = spawn(process.execPath, [PROGRAM], {
      stdio: ["pipe", "ignore", "pipe"],
      env: { ...process.env, PORT: String(port) },
    })
    const { stderr } = child
    if (!stderr) throw new Error("the server has no stderr")
    // The server reports on stderr that it listens.
    await once(stderr, "data")
    stderr.resume()
  }

  async function pass(socket: Socket) {
    started ??= start()
    await started
    const server = connect(port, "127.0.0.1")
    for (const [from, to] of [
      [socket, server],
      [server, socket],
    ] as const) {
      from.on("error", () => to.destroy())
      from.pipe(to)
    }
  }

  const front = createServer({ noDelay: true }, (socket) => {
    pass(socket).catch(() => socket.destroy())
  })
  await new Promise<void>((listening) => front.listen(0, "127.0.0.1", listening))
  return {
    url: `http://127.0.0.1:${(front.address() as AddressInfo).port}/mcp`,
    stop() {
      front.close()
      child?.kill()
    },
  }
}

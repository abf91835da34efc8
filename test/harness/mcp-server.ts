import { type ChildProcess, spawn } from "node:child_process"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { join } from "node:path"
import { freePort } from "../../src/local/postgres.ts"

const PROGRAM = join(import.meta.dirname, "../../src/local/container-process.ts")

/**
 * A published MCP server over Streamable HTTP. The first connection starts it, since most test runs
 * need none.
 */
export async function serveMcp() {
  let child: ChildProcess | undefined
  let started: Promise<number> | undefined

  async function start(): Promise<number> {
    for (let tries = 0; tries < 5; tries++) {
      // Chosen now, because another program may take a port that is not used at once.
      const port = await freePort()
      // The server ends when its standard input closes, which is when this process ends.
      const server = spawn(process.execPath, [PROGRAM], {
        stdio: ["pipe", "ignore", "pipe"],
        env: { ...process.env, PORT: String(port), MCP_PATH: "/mcp" },
      })
      child = server
      const isListening = new Promise<boolean>((done) => {
        let said = ""
        server.stderr.on("data", (chunk: Buffer) => {
          said += chunk
          if (said.includes("listening on port")) done(true)
        })
        server.once("exit", () => done(false))
      })
      if (await isListening) return port
    }
    throw new Error("the MCP server does not start")
  }

  async function pass(socket: Socket) {
    started ??= start()
    const server = connect(await started, "127.0.0.1")
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

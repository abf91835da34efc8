import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { createServer } from "node:net"
import { answerBench } from "./child.ts"

/** The published gateway of Portkey on a free port. It calls the server that a request names, and nothing else. */
const probe = createServer().listen(0, "127.0.0.1")
await once(probe, "listening")
const { port } = probe.address() as AddressInfo
probe.close()
await once(probe, "close")

process.argv.push(`--port=${port}`, "--headless")
// It draws its state on the terminal.
process.stdout.write = () => true
const url = `http://127.0.0.1:${port}`
const program: string = "@portkey-ai/gateway/build/start-server.js"
await import(program)

answerBench(
  async () => {
    const until = performance.now() + 10_000
    while (!(await fetch(url).catch(() => null))) {
      if (performance.now() > until) throw new Error("The gateway does not answer.")
      await new Promise((done) => setTimeout(done, 50))
    }
    return `${url}/v1`
  },
  async () => {},
)

import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readFile, rm } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { servicePort } from "../../scripts/service-port.ts"
import type { Demo } from "../../src/local/demo.ts"
import { endWithUs } from "../../src/local/watchdog.ts"
import { makeDataDirectory } from "./data-directory.ts"

/** Variables that would make it differ from the service of a new developer. */
const FOREIGN = /^(DATABASE_URL|REDIS_URL|ANTHROPIC_.*|OPENAI_.*|TURNPIKE_.*)$/

export type Started = Demo & {
  /** The process id of npm, and of the process group that npm started. */
  pid: number
  port: number
  dataDir: string
  /** Its output until it was ready. */
  output: string
  stop(): Promise<void>
}

/**
 * Starts `npm start` and resolves when it is ready. It uses a free port and new data, unless
 * `former` gives the port and data of an earlier run. `cwd` is the checkout, by default this one. `variables` are added
 * to its environment.
 */
export async function npmStart(
  former?: { dataDir: string; port: number },
  cwd = process.cwd(),
  variables: Record<string, string> = {},
): Promise<Started> {
  const dataDir = former?.dataDir ?? (await makeDataDirectory("start"))
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !FOREIGN.test(name)))
  const port = former?.port ?? (await servicePort())
  const child = spawn("npm", ["start", "--", "--port", String(port), "--data", dataDir], {
    // A separate process group, so that npm and its children end together.
    detached: true,
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...env, ...variables, TURNPIKE_DEMO: join(dataDir, "demo.json") },
  })
  const words = ["npm start", "src/local/start"]
  child.once("exit", endWithUs({ pid: -(child.pid as number), words, signals: ["SIGTERM", "SIGKILL"] }))
  const ended = once(child, "exit")
  const output = await ready(child)
  return {
    ...(JSON.parse(await readFile(join(dataDir, "demo.json"), "utf8")) as Demo),
    pid: child.pid as number,
    port,
    dataDir,
    output,
    async stop() {
      signal(child, "SIGTERM")
      await ended
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

function signal(child: ChildProcess, name: NodeJS.Signals) {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, name)
  } catch {
    // The group has already ended.
  }
}

function ready(child: ChildProcess): Promise<string> {
  let output = ""
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk: Buffer) => {
        output += chunk
        if (/\] ready\.$/m.test(output)) resolve(output)
      })
    }
    child.once("exit", (code) => reject(new Error(`npm start ended with ${code}:\n${output}`)))
  })
}

/** A server that starts the service on the first request and answers with its demo.json. */
export async function serveNpmStart() {
  let service: ReturnType<typeof npmStart> | undefined
  const server = createServer((_request, response) => {
    service ??= npmStart()
    service.then(
      (demo) => response.setHeader("content-type", "application/json").end(JSON.stringify(demo)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      server.closeAllConnections()
      server.close()
      await service?.then(({ stop }) => stop()).catch(() => {})
    },
  }
}

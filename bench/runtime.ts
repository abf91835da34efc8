import { spawn } from "node:child_process"
import { writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { connect } from "node:net"
import { join } from "node:path"
import { build } from "esbuild"
import { freePort } from "../src/local/postgres.ts"

const { default: program, compatibilityDate: newestDate } = createRequire(import.meta.url)("workerd") as {
  default: string
  compatibilityDate: string
}
/** As wrangler.toml has it, or as new as the installed runtime knows. */
const COMPATIBILITY_DATE = ["2026-11-01", newestDate].sort()[0]

export interface Runtime {
  url: string
  pid: number
  stop(): Promise<void>
}

interface RuntimeOptions {
  name: string
  entry: string
  /** A folder for its bundle and configuration. */
  dir: string
  /** Its bindings, given the URL at which it will listen. */
  bindings: (url: string) => Record<string, string>
}

/**
 * One worker in a workerd of its own and nothing else: `wrangler dev` and miniflare put proxies before and behind the
 * worker, which cost more than a request does.
 */
export async function startRuntime({ name, entry, dir, bindings }: RuntimeOptions): Promise<Runtime> {
  await build({
    entryPoints: [entry],
    outfile: join(dir, `${name}.mjs`),
    bundle: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["workerd", "worker", "browser"],
    external: ["node:*", "cloudflare:*"],
    logLevel: "error",
  })
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const configFile = join(dir, `${name}.capnp`)
  await writeFile(configFile, configuration(name, port, bindings(url)))
  const child = spawn(program, ["serve", configFile], { stdio: ["ignore", "inherit", "inherit"], detached: true })
  const ended = new Promise<void>((done) => child.once("exit", () => done()))
  const stop = async () => {
    child.kill("SIGTERM")
    await ended
  }
  for (let tries = 0; ; tries++) {
    if ((await reaches(port)) && child.pid !== undefined) return { url, pid: child.pid, stop }
    if (child.exitCode !== null || tries > 200) {
      await stop()
      throw new Error("The runtime does not answer.")
    }
    await new Promise((done) => setTimeout(done, 50))
  }
}

function reaches(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("error", () => done(false))
    socket.once("connect", () => {
      socket.destroy()
      done(true)
    })
  })
}

function configuration(name: string, port: number, bindings: Record<string, string>): string {
  const list = Object.entries(bindings).map(([key, value]) => `(name = ${quote(key)}, text = ${quote(value)})`)
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker.mjs", esModule = embed "${name}.mjs")],
  compatibilityDate = "${COMPATIBILITY_DATE}",
  bindings = [${list.join(", ")}],
);
`
}

const quote = (text: string) => JSON.stringify(text)

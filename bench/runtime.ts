import { spawn } from "node:child_process"
import { writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { connect } from "node:net"
import { join } from "node:path"
import { bundleWorker } from "../src/local/build-worker.ts"
import { type EdgePeaks, PEAKS_PATH } from "../src/local/edge-limits.ts"
import { freePort } from "../src/local/postgres.ts"
import { endWithUs } from "../src/local/watchdog.ts"
import { readWorkerSettings } from "../src/local/worker-settings.ts"
import { buildOnce } from "./built-once.ts"

const { default: program, compatibilityDate: newestDate } = createRequire(import.meta.url)("workerd") as {
  default: string
  compatibilityDate: string
}

/** The first flag would block calls to the stand-ins on this machine. The second one is the default for this date. */
const LEFT_OUT = new Set(["global_fetch_strictly_public", "nodejs_compat"])

/** The memory limit of an isolate at Cloudflare. */
export const ISOLATE_MIB = 128

export interface Runtime {
  url: string
  pid: number
  /** The WebSocket URL of the inspector, if `isMeasured` was set. */
  inspector?: string | undefined
}

interface RuntimeOptions {
  name: string
  /** The checkout to serve, and the entry file in it. */
  root: string
  entry: string
  /** The folder for the bundle and the configuration. */
  dir: string
  /** Returns the worker's bindings for the URL at which it will listen. */
  bindings: (url: string) => Record<string, string>
  /** The host and port of the R2 bucket FILES. */
  bucket: string
  /** Like the platform: with an isolate's bound for its heap. And with an inspector, which says what is in it. */
  isMeasured?: boolean
  /** Called with a function that ends the process, as soon as it has started. */
  keep: (stop: () => Promise<void>) => void
}

/**
 * One worker in a workerd of its own and nothing else: `wrangler dev` and Miniflare put proxies in front of and after
 * the worker, which cost more than a request does.
 */
export async function startRuntime({
  name,
  root,
  entry,
  dir,
  bindings,
  bucket,
  isMeasured = false,
  keep,
}: RuntimeOptions): Promise<Runtime> {
  const limited = join(dir, `${name}-limited.mjs`)
  await writeFile(limited, limitedEntry(join(root, entry)))
  await buildOnce(join(root, entry), join(dir, `${name}.mjs`), (file) => bundleWorker(root, limited, file))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const configFile = join(dir, `${name}.capnp`)
  const settings = await readWorkerSettings(root)
  // A date that the runtime does not know yet is an error to it.
  const date = [settings.compatibility_date, newestDate].sort()[0]
  const flags = settings.compatibility_flags.filter((flag) => !LEFT_OUT.has(flag))
  await writeFile(
    configFile,
    configuration({ name, date: `${date}`, flags, port, bindings: bindings(url), bucket, isMeasured }),
  )
  const inspected = isMeasured ? `127.0.0.1:${await freePort()}` : undefined
  const args = ["serve", configFile, ...(inspected ? ["--inspector-addr", inspected] : [])]
  const child = spawn(program, args, { stdio: ["ignore", "inherit", "inherit"], detached: true })
  const ended = new Promise<void>((done) => child.once("exit", () => done()))
  child.once("exit", endWithUs({ pid: child.pid as number, words: [configFile], signals: ["SIGKILL"] }))
  keep(async () => {
    // It has no data to save, and SIGTERM would wait for open connections.
    child.kill("SIGKILL")
    await ended
  })
  for (let tries = 0; ; tries++) {
    if ((await reaches(port)) && child.pid !== undefined) {
      return { url, pid: child.pid, inspector: inspected && `ws://${inspected}/main` }
    }
    if (child.exitCode !== null || tries > 200) throw new Error("The runtime does not answer.")
    await new Promise((done) => setTimeout(done, 50))
  }
}

/** The worker under the platform's limits of calls, which workerd leaves to it. */
const limitedEntry = (
  entry: string,
) => `import { limitedWorker } from ${quote(join(import.meta.dirname, "limited-worker.ts"))}
import worker from ${quote(entry)}
export default limitedWorker(worker)
`

/** The most calls of an invocation of a runtime's worker so far. */
export async function readPeaks({ url }: Pick<Runtime, "url">): Promise<EdgePeaks> {
  return (await (await fetch(`${url}${PEAKS_PATH}`)).json()) as EdgePeaks
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

interface Configuration {
  name: string
  date: string
  flags: string[]
  port: number
  bindings: Record<string, string>
  bucket: string
  isMeasured: boolean
}

function configuration({ name, date, flags, port, bindings, bucket, isMeasured }: Configuration): string {
  const list = Object.entries(bindings).map(([key, value]) => `(name = ${quote(key)}, text = ${quote(value)})`)
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["public", "private"])),
    (name = "bucket", external = (address = "${bucket}", http = ())),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
  v8Flags = [${isMeasured ? quote(`--max-heap-size=${ISOLATE_MIB}`) : ""}],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker.mjs", esModule = embed "${name}.mjs")],
  compatibilityDate = "${date}",
  compatibilityFlags = [${flags.map(quote).join(", ")}],
  bindings = [${list.join(", ")}, (name = "FILES", r2Bucket = "bucket")],
);
`
}

const quote = (text: string) => JSON.stringify(text)

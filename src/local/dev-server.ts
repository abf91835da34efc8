import { type ChildProcess, spawn } from "node:child_process"
import { createWriteStream } from "node:fs"
import { chmod, writeFile } from "node:fs/promises"
import { connect } from "node:net"
import { join } from "node:path"
import { type Ending, signal } from "./processes.ts"
import { programPath } from "./program-path.ts"
import { endWithUs } from "./watchdog.ts"
import type { Order } from "./worker-process.ts"

type Variables = Record<string, string | undefined>

interface DevServerOptions {
  port: number
  dataDir: string
  /** The variables of the worker. The process of the server loads while they are prepared. */
  env: Variables | Promise<Variables>
  /** The file that bundleWorker wrote. */
  script: string | Promise<string>
  /** The checkout to serve. Default: the current folder. */
  cwd?: string
  /** Called with the process group of the worker, and a function that ends it, as soon as its process exists. */
  onSpawn?: (group: number, stop: () => Promise<void>) => Promise<void>
}

/** Serves functions/all.ts in workerd, with the stand-ins in its variables. */
export async function startDevServer({ port, dataDir, env, script, cwd, onSpawn }: DevServerOptions) {
  // They may fail before they are awaited.
  for (const prepared of [env, script]) Promise.resolve(prepared).catch(() => {})
  await refuseTakenPort(port)
  const variables = join(dataDir, "worker.json")
  const logFile = join(dataDir, "worker.log")
  await writeFile(logFile, "", { mode: 0o600 })
  await chmod(logFile, 0o600)
  const log = createWriteStream(logFile)
  const options = ["--port", String(port), "--variables", variables, "--persist-to", join(dataDir, "wrangler")]
  const child = spawn(process.execPath, [programPath("worker-process"), ...options], {
    // Its own process group, so that Ctrl-C reaches only this process, which then stops the others in order.
    detached: true,
    cwd,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: { ...process.env, NO_COLOR: "1" },
  })
  const forget = endWithUs(endingOfWorkers(child.pid as number))
  child.once("exit", forget)
  await onSpawn?.(child.pid as number, () => stopGroup(child))
  child.stdout?.pipe(log)
  child.stderr?.pipe(log)
  const url = `http://127.0.0.1:${port}`
  const order = takesOrders(child, logFile)
  const serve = async () => {
    await order({ serve: await script })
    await untilReady(child, url, logFile)
  }
  try {
    await writeFile(variables, JSON.stringify(await env), { mode: 0o600 })
    await serve()
  } catch (error) {
    await stopGroup(child)
    throw error
  }
  return {
    url,
    /** The id of the process that started workerd; workerd is its child. */
    pid: child.pid as number,
    /** Resolves when the server has ended. */
    ended: new Promise<void>((done) => child.once("exit", () => done())),
    /** Runs the cron trigger once, since nothing else does so locally. Rejects if the run failed. */
    cron: () => order({ cron: true }),
    /** Serves static files that were built after the start. Requests of this moment fail. */
    reload: serve,
    stop: () => stopGroup(child),
  }
}

/** Returns a function that sends an order to the worker's process. It rejects if the order fails. */
function takesOrders(child: ChildProcess, logFile: string) {
  const waiting: ((answer: string) => void)[] = []
  child.on("message", (answer: string) => waiting.shift()?.(answer))
  child.once("exit", () => {
    for (const answered of waiting.splice(0)) answered("its process has ended")
  })
  return async (order: Order): Promise<void> => {
    const isGone = child.exitCode !== null || child.signalCode !== null
    const answer = isGone
      ? "its process has ended"
      : await new Promise<string>((answered) => {
          waiting.push(answered)
          child.send(order)
        })
    if (answer !== "ok") throw new Error(`The worker failed (${answer}); see ${logFile}`)
  }
}

/** How to end the process group of a worker whose parent is gone. */
export const endingOfWorkers = (group: number): Ending => ({
  pid: -group,
  words: ["worker-process", "workerd"],
  signals: ["SIGTERM", "SIGKILL"],
})

/** The address at which a worker under `wrangler dev` runs its cron trigger. */
export const cronUrl = (baseUrl: string) => `${baseUrl}/cdn-cgi/local/scheduled`

async function refuseTakenPort(port: number): Promise<void> {
  const taken = await new Promise<boolean>((done) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("connect", () => {
      socket.destroy()
      done(true)
    })
    socket.once("error", () => done(false))
  })
  if (taken) throw new Error(`Port ${port} is taken. Choose another one, such as --port ${port + 1}.`)
}

async function untilReady(child: ChildProcess, url: string, log: string): Promise<void> {
  for (let tries = 0; tries < 1800; tries++) {
    if (child.exitCode !== null) throw new Error(`The worker did not start; see ${log}`)
    // A route of the worker, because static files are served before it is ready. Without a key it makes no query.
    const ready = await fetch(`${url}/v1/me`).then(
      (response) => response.status === 401,
      () => false,
    )
    if (ready) return
    await new Promise((done) => setTimeout(done, 20))
  }
  throw new Error(`The worker does not answer; see ${log}`)
}

async function stopGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise<void>((done) => child.once("exit", () => done()))
  const group = -child.pid
  signal(group, "SIGTERM")
  const patience = setTimeout(() => signal(group, "SIGKILL"), 5000)
  await ended
  clearTimeout(patience)
}

import { isAlive, processes } from "./processes.ts"

type Close = () => Promise<unknown>

/** The interval of the check that npm still runs. A signal can end npm alone. */
const LOOK_MS = 500

/**
 * Runs a command until a signal arrives. `start` registers a function with `onEnd` for each thing that it starts. After
 * a signal or a failure of `start` they are called once, the newest first, and the process exits.
 */
export function runCommand(start: (onEnd: (close: Close) => void, end: (code: number) => void) => Promise<void>): void {
  const closers: Close[] = []
  let ending = false

  async function end(code: number): Promise<void> {
    if (ending) return
    ending = true
    for (const close of closers.reverse()) await close().catch((error: unknown) => console.error(error))
    process.exit(code)
  }

  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (!ending) console.log("\nStopping …")
      void end(0)
    })
  }
  void endWithNpm(() => void end(1))
  // `dev` of the command line starts its service with a channel, which closes when it ends for any reason.
  if (process.connected) process.once("disconnect", () => void end(0))
  start(
    (close) => closers.push(close),
    (code) => void end(code),
  ).catch((error: unknown) => {
    // A part that is stopped while it starts fails.
    if (ending) return
    console.error(`\n${error instanceof Error ? error.message : String(error)}`)
    if (error instanceof Error && error.cause) console.error(error.cause)
    void end(1)
  })
}

/**
 * Calls `end` if npm is killed. Without this, its command would keep the port and servers that the next start needs.
 */
export async function endWithNpm(end: () => void): Promise<void> {
  if (process.env.npm_lifecycle_event === undefined) return
  const all = await processes()
  const parentOf = (pid: number) => all.find((one) => one.pid === pid)?.parent
  // The parent is npm itself, or a shell whose parent is npm.
  const line = [process.ppid, parentOf(process.ppid)].flatMap((pid) => all.filter((one) => one.pid === pid))
  const npm = line.find(({ command }) => /\bnpm\b/.test(command))
  if (npm) onceGone(npm.pid, end)
}

/** Calls `end` when the process has ended. Does not keep this process running. */
export function onceGone(pid: number, end: () => void): void {
  setInterval(() => {
    if (!isAlive(pid)) end()
  }, LOOK_MS).unref()
}

/** Prints a line with the number of seconds since this process started. */
export function step(line: string): void {
  console.log(`[${process.uptime().toFixed(1).padStart(4)} s] ${line}`)
}

/** Prints how long a piece of work took that runs next to others, unless `wasDone` says that nothing was done. */
export async function timed<T>(line: string, work: Promise<T>, wasDone: (result: T) => boolean): Promise<T> {
  const began = performance.now()
  const result = await work
  if (wasDone(result)) step(`${line} in ${((performance.now() - began) / 1000).toFixed(1)} s`)
  return result
}

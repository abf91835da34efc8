import { isAlive, processes } from "./processes.ts"

type Close = () => Promise<unknown>

/** So often it is looked whether npm, which a signal can end alone, is still there. */
const LOOK_MS = 500

/**
 * Runs a command that stays: `start` notes how to end each thing that it has started. A signal, or a failure of `start`, ends them
 * all, the newest first and once, and then this process.
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
  start(
    (close) => closers.push(close),
    (code) => void end(code),
  ).catch((error: unknown) => {
    console.error(`\n${error instanceof Error ? error.message : String(error)}`)
    if (error instanceof Error && error.cause) console.error(error.cause)
    void end(1)
  })
}

/** npm that was killed leaves its command running, with the port and the servers that the next one wants. Tells when it is gone. */
export async function endWithNpm(end: () => void): Promise<void> {
  if (process.env.npm_lifecycle_event === undefined) return
  const all = await processes()
  const parentOf = (pid: number) => all.find((one) => one.pid === pid)?.parent
  // npm itself, or the shell between it and us.
  const line = [process.ppid, parentOf(process.ppid)].flatMap((pid) => all.filter((one) => one.pid === pid))
  const npm = line.find(({ command }) => /\bnpm\b/.test(command))
  if (npm) onceGone(npm.pid, end)
}

/** Calls `end` when that process has ended. It does not keep this one running. */
export function onceGone(pid: number, end: () => void): void {
  setInterval(() => {
    if (!isAlive(pid)) end()
  }, LOOK_MS).unref()
}

/** Prints a line with the seconds since this process began. */
export function step(line: string): void {
  console.log(`[${process.uptime().toFixed(1).padStart(4)} s] ${line}`)
}

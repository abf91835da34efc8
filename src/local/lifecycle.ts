type Close = () => Promise<unknown>

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
  start(
    (close) => closers.push(close),
    (code) => void end(code),
  ).catch((error: unknown) => {
    console.error(`\n${error instanceof Error ? error.message : String(error)}`)
    if (error instanceof Error && error.cause) console.error(error.cause)
    void end(1)
  })
}

/** Prints a line with the seconds since this process began. */
export function step(line: string): void {
  console.log(`[${process.uptime().toFixed(1).padStart(4)} s] ${line}`)
}

import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { endWithUs } from "../../src/local/watchdog.ts"

/** Starts a program in a process group of its own, which ends with this process. */
export function startProgram(program: string, args: string[], options: { cwd: string; env: NodeJS.ProcessEnv }) {
  const child = spawn(program, args, { ...options, detached: true })
  // The command lines contain the folder, or the name of the command.
  const words = [options.cwd, "turnpike", program]
  child.once("exit", endWithUs({ pid: -(child.pid as number), words, signals: ["SIGTERM", "SIGKILL"] }))
  return new RunningProgram(child)
}

/** A program that runs, with its output so far. */
class RunningProgram {
  out = ""
  err = ""
  readonly ended: Promise<number | null>
  readonly #child: ChildProcess
  #changed = () => {}

  constructor(child: ChildProcess) {
    this.#child = child
    child.stdout?.on("data", (chunk) => {
      this.out += chunk
      this.#changed()
    })
    child.stderr?.on("data", (chunk) => {
      this.err += chunk
      this.#changed()
    })
    this.ended = once(child, "close").then(([code]) => {
      this.#changed()
      return code as number | null
    })
  }

  get pid(): number {
    return this.#child.pid as number
  }

  /** Sends the whole standard input. */
  type(text: string): void {
    this.#child.stdin?.end(text)
  }

  /** Waits until the standard output matches. Rejects if the program ends before. */
  async says(text: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = text.exec(this.out)
      if (found) return found
      if (this.#child.exitCode !== null || this.#child.signalCode !== null)
        throw new Error(`It ended before it said ${text}:\n${this.out}\n${this.err}`)
      await new Promise<void>((changed) => {
        this.#changed = changed
      })
    }
  }

  /** Ends it at once, with its process group. One that has ended stays as it is. */
  async kill(): Promise<number | null> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      process.kill(-(this.#child.pid as number), "SIGKILL")
    }
    return this.ended
  }

  /** Ends it like Ctrl-C, which reaches the whole process group. */
  async interrupt(): Promise<number | null> {
    process.kill(-(this.#child.pid as number), "SIGINT")
    return this.ended
  }
}

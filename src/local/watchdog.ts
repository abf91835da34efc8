import { spawn } from "node:child_process"
import { join } from "node:path"
import type { Writable } from "node:stream"
import type { Ending } from "./processes.ts"

const PROGRAM = join(import.meta.dirname, "watchdog-process.ts")

/** A line to the watchdog. */
export type Word = { id: number; end: Ending } | { forget: number } | { remove: string }

let pipe: Writable | null = null
let ids = 0

/**
 * Has a process end when ours is gone, also after a `kill -9`: a watchdog, a process of its own, waits for its end of a pipe to close.
 * The returned function takes that back: call it when the process has ended.
 */
export function endWithUs(end: Ending): () => void {
  const id = ++ids
  tell({ id, end })
  return () => tell({ forget: id })
}

/** Has a directory removed when our process is gone, after the processes that end with it. */
export function removeWithUs(directory: string): void {
  tell({ remove: directory })
}

function tell(word: Word): void {
  pipe ??= startWatchdog()
  pipe.write(`${JSON.stringify(word)}\n`)
}

function startWatchdog(): Writable {
  // A group of its own, and no output of ours: it outlives us, and a reader of our output would wait for it.
  const child = spawn(process.execPath, [PROGRAM], { detached: true, cwd: "/", stdio: ["pipe", "ignore", "ignore"] })
  child.unref()
  // A pipe of a child process is a socket. Nothing waits for a watchdog, or depends on it.
  const { stdin } = child as unknown as { stdin: Writable & { unref(): void } }
  stdin.unref()
  stdin.on("error", () => {})
  child.on("error", () => {})
  return stdin
}

import { spawn } from "node:child_process"
import type { Writable } from "node:stream"
import { undeclared } from "../base/casts.ts"
import type { Ending } from "./processes.ts"
import { programPath } from "./program-path.ts"

const PROGRAM = programPath("watchdog-process")

/** A message to the watchdog, sent as one line. */
export type Word = { id: number; end: Ending } | { forget: number } | { remove: string }

let pipe: Writable | null = null
let ids = 0

/**
 * Makes a process end when ours has ended, also after a `kill -9`. A separate watchdog process does it when a pipe from
 * us closes. Call the returned function once the process has ended.
 */
export function endWithUs(end: Ending): () => void {
  const id = ++ids
  tell({ id, end })
  return () => tell({ forget: id })
}

/** Makes the watchdog remove a directory when our process has ended, after it has ended the processes. */
export function removeWithUs(directory: string): void {
  tell({ remove: directory })
}

function tell(word: Word): void {
  pipe ??= startWatchdog()
  pipe.write(`${JSON.stringify(word)}\n`)
}

function startWatchdog(): Writable {
  // Its own process group and no shared output: it outlives us, and a reader of our output would wait for it.
  const child = spawn(process.execPath, [PROGRAM], { detached: true, cwd: "/", stdio: ["pipe", "ignore", "ignore"] })
  child.unref()
  // A pipe of a child process is a socket. The watchdog must not keep us running, and errors of it are ignored.
  const { stdin } = undeclared<{ stdin: Writable & { unref(): void } }>(child)
  stdin.unref()
  stdin.on("error", () => {})
  child.on("error", () => {})
  return stdin
}

import { rm } from "node:fs/promises"
import { createInterface } from "node:readline"
import { type Ending, endProcess } from "./processes.ts"
import type { Word } from "./watchdog.ts"

/**
 * The process of watchdog.ts. The kernel closes its standard input when its parent ends for any reason. It then ends
 * the registered processes, removes the registered directories, and exits.
 */
const endings = new Map<number, Ending>()
const directories = new Set<string>()

for await (const line of createInterface(process.stdin)) {
  const word = JSON.parse(line) as Word
  if ("end" in word) endings.set(word.id, word.end)
  else if ("forget" in word) endings.delete(word.forget)
  else directories.add(word.remove)
}

await Promise.all([...endings.values()].map(endProcess))
for (const directory of directories) {
  // Retries, because a process may still be writing its last file.
  await rm(directory, { recursive: true, force: true, maxRetries: 10 }).catch(() => {})
}

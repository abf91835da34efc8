import { rm } from "node:fs/promises"
import { createInterface } from "node:readline"
import { type Ending, endProcess } from "./processes.ts"
import type { Word } from "./watchdog.ts"

/**
 * The process of watchdog.ts. Its standard input closes when the process that started it is gone, however that ended: the kernel sees
 * to it. Then it ends what that process has left, removes its directories, and ends itself.
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
  // A process may be writing its last file.
  await rm(directory, { recursive: true, force: true, maxRetries: 10 }).catch(() => {})
}

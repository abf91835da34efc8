import { statfs } from "node:fs/promises"
import { tmpdir } from "node:os"
import { makeTemporaryDirectory } from "../../src/local/temporary-directory.ts"

const MEMORY = "/dev/shm"
/** A server with the databases of the worlds that are open at once; they are dropped when they close. */
const ROOM = 3 * 2 ** 30

/**
 * A new directory for the data of servers, in memory where that has the room. A database consists of eight hundred files: to copy
 * them on a disk costs the kernel five times what it costs here. It is removed with what uses it when this process is gone.
 */
export async function makeDataDirectory(name: string): Promise<string> {
  const { bavail, bsize } = await statfs(MEMORY).catch(() => ({ bavail: 0, bsize: 0 }))
  return makeTemporaryDirectory(name, bavail * bsize >= ROOM ? MEMORY : tmpdir())
}

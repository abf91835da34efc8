import { statfs } from "node:fs/promises"
import { tmpdir } from "node:os"
import { makeTemporaryDirectory } from "../../src/local/temporary-directory.ts"

const MEMORY = "/dev/shm"
/**
 * The space that one server needs for the databases of all open worlds. Closing a world drops its
 * databases.
 */
const ROOM = 3 * 2 ** 30

/**
 * Makes a directory for the data of servers, in memory if it has room: copying a database of 800
 * files costs the kernel five times as much on a disk. The directory and its servers disappear when
 * this process ends.
 */
export async function makeDataDirectory(name: string): Promise<string> {
  const { bavail, bsize } = await statfs(MEMORY).catch(() => ({ bavail: 0, bsize: 0 }))
  return makeTemporaryDirectory(name, bavail * bsize >= ROOM ? MEMORY : tmpdir())
}

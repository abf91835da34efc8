import { execFile } from "node:child_process"
import { mkdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { makeTemporaryDirectory } from "../src/local/temporary-directory.ts"
import { CLIENT_PATH } from "../src/reference/served-packages.ts"

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, "..")

/**
 * Builds the client and writes its package into the static files in `folder`, from where `npm install URL` takes it.
 * It needs no network. Equal sources give equal bytes.
 */
export async function packClient(folder: string): Promise<void> {
  const built = await makeTemporaryDirectory("client")
  await run(process.execPath, [join(ROOT, "scripts/build-client.ts"), built], { cwd: ROOT })
  const target = join(folder, CLIENT_PATH, "..")
  await mkdir(target, { recursive: true })
  await run("npm", ["pack", "--ignore-scripts", "--pack-destination", target], { cwd: built })
  await rm(built, { recursive: true, force: true })
}

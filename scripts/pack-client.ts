import { execFile } from "node:child_process"
import { mkdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { makeTemporaryDirectory } from "../src/local/temporary-directory.ts"
import { AI_SDK_PATH, CLIENT_PATH } from "../src/reference/served-packages.ts"

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, "..")

/**
 * Builds the client and the provider for the AI SDK, and writes their packages into the static files in `folder`, from
 * where `npm install URL` takes them. It needs no network. Equal sources give equal bytes.
 */
export async function packClient(folder: string): Promise<void> {
  await Promise.all([pack("client", CLIENT_PATH, folder), pack("ai-sdk", AI_SDK_PATH, folder)])
}

async function pack(workspace: string, path: string, folder: string): Promise<void> {
  const built = await makeTemporaryDirectory(workspace)
  await run(process.execPath, [join(ROOT, `scripts/build-${workspace}.ts`), built], { cwd: ROOT })
  const target = join(folder, path, "..")
  await mkdir(target, { recursive: true })
  await run("npm", ["pack", "--ignore-scripts", "--pack-destination", target], { cwd: built })
  await rm(built, { recursive: true, force: true })
}

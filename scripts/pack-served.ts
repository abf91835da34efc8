import { join } from "node:path"
import { VERSION } from "../client/src/version.ts"
import { replaceFile } from "./folder-files.ts"
import { packClient } from "./pack-client.ts"
import { packWheel } from "./pack-wheel.ts"
import { releasedPackages, releasedVersions } from "./releases/released.ts"

const ROOT = join(import.meta.dirname, "..")

/**
 * Writes the clients' packages into the static files in `folder`: every released version with its published bytes, so
 * that lock files of owners stay valid, and the sources' own version if it is not released.
 */
export async function packServed(folder: string, { withClient = true } = {}): Promise<void> {
  for (const [path, bytes] of await releasedPackages(ROOT)) await replaceFile(folder, path, bytes)
  if ((await releasedVersions(ROOT)).includes(VERSION)) return
  if (withClient) await packClient(folder)
  await packWheel(folder)
}

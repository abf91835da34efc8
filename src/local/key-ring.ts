import { randomBytes } from "node:crypto"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"

/** The key ring of this data directory: made at the first start, since secrets that it has sealed must open at the next. */
export async function readKeyRing(dataDir: string): Promise<string> {
  const file = join(dataDir, "secrets.keys")
  const known = await readFile(file, "utf8").catch(() => null)
  if (known) return known.trim()
  const made = `local:${randomBytes(32).toString("base64")}`
  await writeFile(file, `${made}\n`, { mode: 0o600 })
  return made
}

import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { basename, join } from "node:path"
import { promisify } from "node:util"
import { VERSION } from "../../client/src/version.ts"
import { makeTemporaryDirectory } from "../../src/local/temporary-directory.ts"
import { AI_SDK_PATH, CLIENT_PATH, PYTHON_CLIENT_PATH } from "../../src/reference/served-packages.ts"
import { documentOf } from "../documents.ts"
import { packClient } from "../pack-client.ts"
import { packSdist } from "../pack-sdist.ts"
import { packWheel } from "../pack-wheel.ts"
import { CHECKSUMS, RELEASES } from "./released.ts"

/**
 * `node scripts/releases/artefacts.ts DIR [--dev-only]` packs the version of the sources. It adds the clients with
 * their checksums to `releases/`, and writes everything that is published to DIR. With --dev-only, the clients are
 * those in `releases/`: the workflow publishes their bytes.
 */
const run = promisify(execFile)
const ROOT = join(import.meta.dirname, "../..")
const [target = "dist/release", ...options] = process.argv.slice(2)
const released = join(ROOT, RELEASES, VERSION)

await rm(target, { recursive: true, force: true })
await mkdir(target, { recursive: true })
if (!options.includes("--dev-only")) await packClients()
for (const name of await readdir(released))
  if (name !== CHECKSUMS) await copyFile(join(released, name), join(target, name))
await writeFile(join(target, "openapi.json"), `${JSON.stringify(documentOf("v1"), null, 2)}\n`)
await packDev()
await writeChecksums(target)
console.log(await readFile(join(target, CHECKSUMS), "utf8"))

/** The tarballs, the wheel and the source distribution of the clients. */
async function packClients(): Promise<void> {
  const work = await makeTemporaryDirectory("artefacts")
  await Promise.all([packClient(work), packWheel(work)])
  await mkdir(released, { recursive: true })
  for (const path of [CLIENT_PATH, AI_SDK_PATH, PYTHON_CLIENT_PATH])
    await copyFile(join(work, path), join(released, basename(path)))
  await packSdist(released)
  await writeChecksums(released)
}

/** The tarball of the local service. No service serves it, so only the registry keeps it. */
async function packDev(): Promise<void> {
  const work = await makeTemporaryDirectory("artefacts-dev")
  await run(process.execPath, [join(ROOT, "scripts/build-dev.ts"), work], { cwd: ROOT, maxBuffer: 2 ** 26 })
  await run("npm", ["pack", "--ignore-scripts", "--pack-destination", join(process.cwd(), target)], { cwd: work })
}

async function writeChecksums(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name !== CHECKSUMS).sort()
  const lines = await Promise.all(
    names.map(async (name) => {
      const bytes = await readFile(join(folder, name))
      return `${createHash("sha256").update(bytes).digest("hex")}  ${name}\n`
    }),
  )
  await writeFile(join(folder, CHECKSUMS), lines.join(""))
}

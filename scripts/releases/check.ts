import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdir, readdir, readFile } from "node:fs/promises"
import { basename, join } from "node:path"
import { promisify } from "node:util"
import { VERSION } from "../../client/src/version.ts"
import { makeTemporaryDirectory } from "../../src/local/temporary-directory.ts"
import { AI_SDK_PATH, CLIENT_PATH, PYTHON_CLIENT_PATH } from "../../src/reference/served-packages.ts"
import { readFolder } from "../folder-files.ts"
import { packClient } from "../pack-client.ts"
import { packWheel } from "../pack-wheel.ts"
import { CHECKSUMS, compareVersions, isRelease, RELEASES, releasedVersions } from "./released.ts"

/**
 * `node scripts/releases/check.ts` proves that a released version has its published bytes: the files in `releases/`
 * equal their checksums and their tag, and sources with a released version build exactly its packages.
 */
const run = promisify(execFile)
const ROOT = join(import.meta.dirname, "../..")

const versions = await releasedVersions(ROOT)
const faults = [...(await faultsOfFiles()), ...(await faultsOfTags()), ...(await faultsOfSources())]
for (const fault of faults) console.error(fault)
console.log(`${versions.length} released versions, ${faults.length} faults. The sources are ${VERSION}.`)
process.exitCode = faults.length === 0 ? 0 : 1

/** Files that differ from their checksums, are missing or are not listed. */
async function faultsOfFiles(): Promise<string[]> {
  const found: string[] = []
  for (const version of versions) {
    const folder = join(ROOT, RELEASES, version)
    const text = await readFile(join(folder, CHECKSUMS), "utf8").catch(() => "")
    const listed = new Map(
      text
        .trim()
        .split("\n")
        .map((line) => [line.slice(66), line.slice(0, 64)]),
    )
    const names = (await readdir(folder)).filter((name) => name !== CHECKSUMS)
    for (const name of new Set([...names, ...listed.keys()])) {
      const bytes = await readFile(join(folder, name)).catch(() => Buffer.alloc(0))
      if (createHash("sha256").update(bytes).digest("hex") !== listed.get(name))
        found.push(`${RELEASES}/${version}/${name} is not the published file. Restore it: released files never change.`)
    }
  }
  return found
}

/** Releases whose folder differs from their tag. A clone without tags has nothing to compare. */
async function faultsOfTags(): Promise<string[]> {
  const { stdout } = await run("git", ["tag", "--list", "v*"], { cwd: ROOT }).catch(() => ({ stdout: "" }))
  const found: string[] = []
  for (const tag of stdout.split("\n").filter((name) => isRelease(name.slice(1)))) {
    const path = `${RELEASES}/${tag.slice(1)}`
    const changed = await run("git", ["diff", "--name-only", tag, "--", path], { cwd: ROOT })
    if (changed.stdout.trim())
      found.push(`${path} differs from the tag ${tag}. Restore it: git checkout ${tag} -- ${path}`)
  }
  return found
}

/** A released version whose sources build other packages, or a version that cannot follow the last release. */
async function faultsOfSources(): Promise<string[]> {
  const last = versions.at(-1)
  if (!isRelease(VERSION)) {
    if (last === undefined || compareVersions(VERSION, last) > 0) return []
    return [`Version ${VERSION} does not follow the released ${last}. Choose a greater one in client/src/version.ts.`]
  }
  if (!versions.includes(VERSION))
    return [`Version ${VERSION} is not released. Between two releases, the version ends in -dev.`]
  const work = await makeTemporaryDirectory("release-check")
  await Promise.all([packClient(work), packWheel(work)])
  const pairOf = (path: string) => [join(work, path), join(ROOT, RELEASES, VERSION, basename(path))] as const
  const changed = (await sameBytes(pairOf(PYTHON_CLIENT_PATH))) ? [] : [basename(PYTHON_CLIENT_PATH)]
  for (const path of [CLIENT_PATH, AI_SDK_PATH]) {
    const folders = pairOf(path).map((tarball, at) => unpacked(tarball, join(work, `${basename(path)}-${at}`)))
    const [built, published] = (await Promise.all(folders)) as [Map<string, Buffer>, Map<string, Buffer>]
    changed.unshift(...(await differentFiles(built, published)))
  }
  if (changed.length === 0) return []
  return [
    `The clients have changed after their release ${VERSION}: ${changed.join(", ")}.\n` +
      `Lock files of owners hold the published bytes. Give the sources the next version: npm run release -- --next`,
  ]
}

/** The files of a package. Compressors of other machines give other bytes, so packages are compared unpacked. */
async function unpacked(tarball: string, folder: string): Promise<Map<string, Buffer>> {
  await mkdir(folder, { recursive: true })
  await run("tar", ["-xzf", tarball, "-C", folder])
  return readFolder(folder)
}

async function differentFiles(one: Map<string, Buffer>, other: Map<string, Buffer>): Promise<string[]> {
  const paths = [...new Set([...one.keys(), ...other.keys()])]
  return paths.filter((path) => !one.get(path)?.equals(other.get(path) ?? Buffer.alloc(0))).sort()
}

async function sameBytes(paths: readonly string[]): Promise<boolean> {
  const [one, other] = await Promise.all(paths.map((path) => readFile(path)))
  return one?.equals(other as Buffer) ?? false
}

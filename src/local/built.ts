import { createHash } from "node:crypto"
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"

/** A part of `dist/` that is built once per state of its sources. */
export interface Target {
  name: string
  /** Files and folders that the build reads, relative to the checkout. */
  sources: readonly string[]
  /** The files and folders that it writes. */
  outputs: readonly string[]
  /** Other input, such as a variable. */
  input?: string
}

/** Folders that no build reads. */
const IGNORED = new Set(["node_modules", "__pycache__", "screenshots"])

const stateFile = (root: string, { name }: Target) => join(root, "dist/built", name)

/** The paths of all files below `path`, sorted; the path itself if it is a file; none if there is nothing. */
async function filesBelow(path: string): Promise<string[]> {
  const found = await stat(path).catch(() => null)
  if (!found) return []
  if (!found.isDirectory()) return [path]
  const names = (await readdir(path)).filter((name) => !IGNORED.has(name)).sort()
  return (await Promise.all(names.map((name) => filesBelow(join(path, name))))).flat()
}

const filesOf = async (root: string, paths: readonly string[]) =>
  (await Promise.all(paths.map((path) => filesBelow(join(root, path))))).flat()

/** The SHA-256 of the names and contents of a target's sources, and of its input. */
export async function digestOfSources(root: string, { sources, input = "" }: Target): Promise<string> {
  const digest = createHash("sha256").update(input)
  const files = await filesOf(root, sources)
  const texts = await Promise.all(files.map((file) => readFile(file)))
  for (const [at, file] of files.entries()) {
    const text = texts[at] as Buffer
    digest.update(`\n${file.slice(root.length)} ${text.length}\n`).update(text)
  }
  return digest.digest("hex")
}

/** The names and sizes of the outputs. It changes if a file is missing or was replaced by another build. */
async function outputsOf(root: string, { outputs }: Target): Promise<string> {
  const digest = createHash("sha256")
  for (const file of await filesOf(root, outputs))
    digest.update(`${file.slice(root.length)} ${(await stat(file)).size}\n`)
  return digest.digest("hex")
}

/** True if the outputs were built from sources with this digest and are complete. */
export async function isBuilt(root: string, target: Target, digest: string): Promise<boolean> {
  const state = await readFile(stateFile(root, target), "utf8").catch(() => "")
  return state.startsWith(`${digest}\n`) && state === `${digest}\n${await outputsOf(root, target)}\n`
}

/** Records that the outputs were built from sources with this digest, which was taken before the build began. */
export async function noteBuilt(root: string, target: Target, digest: string): Promise<void> {
  const file = stateFile(root, target)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, `${digest}\n${await outputsOf(root, target)}\n`)
}

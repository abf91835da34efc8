import { existsSync } from "node:fs"
import { mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"

/** How often a folder is read again while another build replaces its files. */
const MOST_READS = 50

/** The files of a folder by their paths, which begin with "/"; empty if the folder does not exist. */
export async function readFolder(folder: string): Promise<Map<string, Buffer>> {
  for (let reads = 1; existsSync(folder); reads++) {
    try {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true })
      const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
      return new Map(
        await Promise.all(paths.map(async (path) => [path.slice(folder.length), await readFile(path)] as const)),
      )
    } catch (error) {
      if (reads === MOST_READS || !isGone(error)) throw error
    }
  }
  return new Map()
}

/**
 * Makes the folder contain exactly these files while servers and other builds read it: unchanged files are not
 * written, each file is replaced as a whole, pages come after the files that they name, and nothing is removed before.
 */
export async function writeFolder(folder: string, files: Map<string, string | Buffer>): Promise<void> {
  const isPage = (path: string) => Number(path.endsWith(".html"))
  const wanted = [...files.keys()].sort((a, b) => isPage(a) - isPage(b))
  for (const name of wanted) await replaceFile(folder, name, Buffer.from(files.get(name) as string | Buffer))
  for (const name of (await readFolder(folder)).keys()) {
    if (files.has(name)) continue
    const path = join(folder, name)
    await rm(path, { force: true })
    // A folder with other files stays.
    await rmdir(dirname(path)).catch(() => {})
  }
}

/** Replaces a file of a folder as a whole. Does nothing if it has this content. */
export async function replaceFile(folder: string, name: string, content: Buffer): Promise<void> {
  const path = join(folder, name)
  if ((await readFile(path).catch(() => undefined))?.equals(content)) return
  await mkdir(dirname(path), { recursive: true })
  const draft = `${folder}.${process.pid}`
  await writeFile(draft, content)
  await rename(draft, path)
}

const isGone = (error: unknown) => (error as NodeJS.ErrnoException).code === "ENOENT"

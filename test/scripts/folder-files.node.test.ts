import { mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { readFolder, writeFolder } from "../../scripts/folder-files.ts"

const OLD = new Map([
  ["/index.html", "uses old/a.js"],
  ["/assets/old/a.js", "old"],
  ["/theme.js", "dark"],
])
const NEW = new Map([
  ["/index.html", "uses new/a.js"],
  ["/assets/new/a.js", "new"],
  ["/theme.js", "dark"],
])

/** A folder with the files of `OLD`. */
async function served(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "turnpike-served-"))
  onTestFinished(() => rm(dir, { recursive: true }))
  const folder = join(dir, "all")
  await writeFolder(folder, OLD)
  return folder
}

const textsOf = async (folder: string) =>
  Object.fromEntries([...(await readFolder(folder))].map(([path, bytes]) => [path, bytes.toString()]))

test("A folder gets exactly the files of a new build", async () => {
  const folder = await served()
  await writeFolder(folder, NEW)
  expect(await textsOf(folder)).toEqual(Object.fromEntries(NEW))
  expect(await readdir(join(folder, "assets"))).toEqual(["new"])
})

test("Building the same files again touches none of them", async () => {
  const folder = await served()
  const marks = () => Promise.all([...OLD.keys()].map(async (path) => (await stat(join(folder, path))).ino))
  const before = await marks()
  await writeFolder(folder, OLD)
  expect(await marks()).toEqual(before)
})

test("Until the new page is written, the old page and all files that it names stay", async () => {
  const folder = await served()
  await rm(join(folder, "index.html"))
  // The page cannot be written, so the build ends there.
  await mkdir(join(folder, "index.html/blocked"), { recursive: true })
  await expect(writeFolder(folder, NEW)).rejects.toThrow()
  expect(await textsOf(folder)).toEqual({ "/assets/old/a.js": "old", "/assets/new/a.js": "new", "/theme.js": "dark" })
})

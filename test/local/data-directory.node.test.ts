import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { parseKeyRing } from "../../src/base/key-ring.ts"
import { readKeyRing, takeDataDirectory } from "../../src/local/data-directory.ts"
import { processes } from "../../src/local/processes.ts"

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "turnpike-owner-"))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const ownerOf = async () =>
  JSON.parse(await readFile(join(dir, "owner.json"), "utf8")) as { pid: number; workers: number | null }

test("A directory without a living owner is taken over and returned without a trace", async () => {
  await writeFile(join(dir, "owner.json"), JSON.stringify({ pid: 2 ** 22 + 1, workers: null }))
  const directory = await takeDataDirectory(dir)
  expect(await ownerOf()).toEqual({ pid: process.pid, workers: null })
  await directory.noteWorkers(12_345)
  expect(await ownerOf()).toEqual({ pid: process.pid, workers: 12_345 })
  await directory.release()
  expect(await readdir(dir)).toEqual([])
})

test("An unfinished owner file names no owner", async () => {
  await writeFile(join(dir, "owner.json"), '{"pid":')
  await (await takeDataDirectory(dir)).release()
  expect(await readdir(dir)).toEqual([])
})

test("Each directory has its own key ring, readable only by its owner, and keeps it", async () => {
  const other = await mkdtemp(join(tmpdir(), "turnpike-owner-"))
  const [one, two] = [await readKeyRing(dir), await readKeyRing(other)]
  await rm(other, { recursive: true })
  for (const ring of [one, two]) expect([...parseKeyRing(ring).keys()]).toEqual(["local"])
  expect(one).not.toBe(two)
  expect(await readKeyRing(dir)).toBe(one)
  expect((await stat(join(dir, "secrets.keys"))).mode & 0o777).toBe(0o600)
})

test("Processes are found with their groups and command lines, also without `ps`", async () => {
  const { PATH } = process.env
  process.env.PATH = ""
  const found = await processes().finally(() => {
    process.env.PATH = PATH
  })
  const own = found.find(({ pid }) => pid === process.pid)
  if (process.platform === "linux") expect(own?.command).toContain("node")
  expect(own === undefined || own.parent === process.ppid).toBe(true)
})

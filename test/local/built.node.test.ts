import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { digestOfSources, isBuilt, noteBuilt, type Target } from "../../src/local/built.ts"

const TARGET: Target = { name: "pages", sources: ["src", "package.json", "absent"], outputs: ["dist/pages"] }

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "turnpike-built-"))
  await write("src/a.ts", "a")
  await write("src/deep/b.ts", "b")
  await write("package.json", "{}")
  await write("dist/pages/index.html", "page")
})
afterEach(() => rm(root, { recursive: true, force: true }))

async function write(path: string, text: string): Promise<void> {
  await mkdir(join(root, path, ".."), { recursive: true })
  await writeFile(join(root, path), text)
}

const isFresh = async (target = TARGET) => isBuilt(root, target, await digestOfSources(root, target))

test("A target is stale until it was built, and then fresh, whatever the times of its sources are", async () => {
  expect(await isFresh()).toBe(false)
  await noteBuilt(root, TARGET, await digestOfSources(root, TARGET))
  expect(await isFresh()).toBe(true)
  // A checkout sets new times for old contents.
  await utimes(join(root, "src/a.ts"), new Date(), new Date(Date.now() + 60_000))
  expect(await isFresh()).toBe(true)
})

test("Every change of a source or of another input makes a target stale", async () => {
  await noteBuilt(root, TARGET, await digestOfSources(root, TARGET))
  const changes: Record<string, () => Promise<void>> = {
    "a content": () => write("src/a.ts", "A"),
    "a new file": () => write("src/deep/new.ts", ""),
    "a removed file": () => rm(join(root, "src/deep"), { recursive: true }),
    "a file that was absent": () => write("absent/c.ts", ""),
    "a content that moves to another file": async () => {
      await write("src/a.ts", "b")
      await write("src/deep/b.ts", "a")
    },
  }
  const seen = new Set([await digestOfSources(root, TARGET)])
  for (const [what, change] of Object.entries(changes)) {
    await change()
    expect(await isFresh(), what).toBe(false)
    seen.add(await digestOfSources(root, TARGET))
  }
  expect(seen.size).toBe(Object.keys(changes).length + 1)
  expect(await digestOfSources(root, { ...TARGET, input: "https://api.test" })).not.toBe(
    await digestOfSources(root, TARGET),
  )
})

test("A target is stale if one of its outputs is missing or was replaced", async () => {
  await noteBuilt(root, TARGET, await digestOfSources(root, TARGET))
  await write("dist/pages/index.html", "another page")
  expect(await isFresh()).toBe(false)
  await write("dist/pages/index.html", "page")
  expect(await isFresh()).toBe(true)
  await rm(join(root, "dist/pages"), { recursive: true })
  expect(await isFresh()).toBe(false)
})

test("Installed packages and other files that no build reads do not make a target stale", async () => {
  await noteBuilt(root, TARGET, await digestOfSources(root, TARGET))
  await write("src/node_modules/x/index.js", "")
  await write("src/__pycache__/x.pyc", "")
  expect(await isFresh()).toBe(true)
})

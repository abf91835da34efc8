import { spawn } from "node:child_process"
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { expect, test } from "vitest"

const CONFIG = `export default { test: { projects: [
  { test: { name: "node", include: ["*.test.js"] } },
  { test: { name: "structure", include: ["*.none.js"] } },
], passWithNoTests: true } }`
const HEAD = 'import { existsSync, writeFileSync } from "node:fs"\nimport { expect, test } from "vitest"\n'

const PASSES = `${HEAD}test("passes", () => {})`
const FAILS = `${HEAD}test("fails", () => { console.log("seed 77"); expect(1).toBe(2) })`
/** A test that fails only in its first run. */
const isFlaky = (name: string) => `${HEAD}const mark = new URL("./${name}.ran", import.meta.url)
test("is flaky", () => { console.log("seed 4711"); const ran = existsSync(mark); writeFileSync(mark, ""); expect(ran).toBe(true) })`

/** Runs the fast tier as CI does, on a folder with these test files. */
async function runIn(files: Record<string, string>): Promise<{ code: number | null; printed: string }> {
  const dir = await mkdtemp(join(tmpdir(), "turnpike-planted-"))
  try {
    await symlink(resolve("node_modules"), join(dir, "node_modules"))
    await writeFile(join(dir, "vitest.config.js"), CONFIG)
    for (const [name, text] of Object.entries(files)) await writeFile(join(dir, `${name}.test.js`), text)
    const args = ["scripts/test.ts", "fast", `--root=${dir}`, `--config=${join(dir, "vitest.config.js")}`]
    const { TURNPIKE_FLAKY_LOG: _log, ...env } = process.env
    const child = spawn("node", args, {
      env: { ...env, CI: "true", NO_COLOR: "1" },
      stdio: ["ignore", "pipe", "inherit"],
    })
    let printed = ""
    child.stdout.on("data", (chunk: Buffer) => (printed += chunk))
    const code = await new Promise<number | null>((done) => child.once("close", done))
    return { code, printed }
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

test("A planted flaky file runs once more, alone, and the last lines of a passing run name it with its seed", async () => {
  const { code, printed } = await runIn({ sound: PASSES, planted: isFlaky("planted") })
  expect(code).toBe(0)
  expect(printed.match(/✓ .*sound\.test\.js/g)).toHaveLength(1)
  expect(printed.slice(printed.indexOf("FLAKY planted.test.js (node)"))).toContain("seed 4711")
  expect(printed.trimEnd().split("\n").at(-1)).toBe("2 passed, 0 failed")
})

test("A planted file that fails twice fails the run, which prints its seed, and its error in the last lines", async () => {
  const { code, printed } = await runIn({ sound: PASSES, broken: FAILS })
  expect(code).toBe(1)
  expect(printed.trimEnd().split("\n").slice(-4)).toEqual([
    "These tests failed:",
    "  broken.test.js (node)",
    "    fails: expected 1 to be 2 // Object.is equality",
    "1 passed, 1 failed",
  ])
  const end = printed.slice(printed.indexOf("FAILED broken.test.js (node)"))
  expect(end).toContain("fails: expected 1 to be 2")
  expect(end).toContain("seed 77")
})

test("Three planted flaky files fail the run", async () => {
  const { code } = await runIn({ a: isFlaky("a"), b: isFlaky("b"), c: isFlaky("c") })
  expect(code).toBe(1)
})

import { spawn } from "node:child_process"
import { once } from "node:events"
import { access, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseEnv } from "node:util"
import { afterEach, beforeEach, expect, test } from "vitest"
import { refuseForeignVars, removeDevVars, writeDevVars } from "../../src/local/dev-vars.ts"

let dir: string
let file: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "turnpike-vars-"))
  file = join(dir, ".dev.vars")
})
afterEach(() => rm(dir, { recursive: true }))

test("The file is written with its values, readable only by its owner, rewritten, and removed", async () => {
  await refuseForeignVars(file)
  await writeDevVars(file, { OLD: "1" })
  await writeDevVars(file, { A: 'x"y', EMPTY: undefined })
  const [comment, ...lines] = (await readFile(file, "utf8")).split("\n")
  expect(comment).toMatch(/^# Written by `npm run stack`/)
  expect(lines).toEqual([`# Process ${process.pid}`, `A='x"y'`, ""])
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  await removeDevVars(file)
  await expect(access(file)).rejects.toThrow("ENOENT")
  await removeDevVars(file)
})

test("Values are read back unchanged, including JSON and several lines", async () => {
  const values = { JSON: '{"a":"it is"}', BOTH: `a "b" 'c'`, LINES: "one\ntwo", PLAIN: "a=b#c $d" }
  await writeDevVars(file, values)
  expect(parseEnv(await readFile(file, "utf8"))).toEqual(values)
  await expect(writeDevVars(file, { A: "\"'`" })).rejects.toThrow(/every kind of quote/)
})

test("A file that a person wrote is refused and never changed", async () => {
  for (const text of ["", "DATABASE_URL=mine\n", "# Written by `npm run stack`, and changed\nA=1\n"]) {
    await writeFile(file, text)
    await expect(refuseForeignVars(file)).rejects.toThrow(/was not written by `npm run stack`, so it is not changed/)
    await expect(writeDevVars(file, { A: "1" })).rejects.toThrow(/was not written by `npm run stack`/)
    await removeDevVars(file)
    expect(await readFile(file, "utf8")).toBe(text)
  }
})

test("The variables of another stack are kept while it runs, and replaced once it has ended", async () => {
  const other = spawn(process.execPath, ["-e", "process.stdin.resume()"])
  await once(other, "spawn")
  await writeDevVars(file, { A: "1" })
  const text = (await readFile(file, "utf8")).replace(`# Process ${process.pid}`, `# Process ${other.pid}`)
  await writeFile(file, text)
  await expect(refuseForeignVars(file)).rejects.toThrow(`another \`npm run stack\` (process ${other.pid})`)
  await expect(writeDevVars(file, { A: "2" })).rejects.toThrow("End it, or remove the file, and try again.")
  await removeDevVars(file)
  expect(await readFile(file, "utf8")).toBe(text)
  other.kill()
  await once(other, "exit")
  await writeDevVars(file, { A: "2" })
  expect(parseEnv(await readFile(file, "utf8"))).toEqual({ A: "2" })
})

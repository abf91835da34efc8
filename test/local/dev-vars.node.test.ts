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
  expect(lines).toEqual([`A='x"y'`, ""])
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

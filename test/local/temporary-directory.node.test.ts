import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { createInterface } from "node:readline"
import { afterEach, beforeEach, expect, test } from "vitest"
import { isAlive, soon } from "../../src/local/processes.ts"
import { makeTemporaryDirectory } from "../../src/local/temporary-directory.ts"

const NOT_A_PROCESS = 2 ** 22 + 1
/** Never decides the result: a process that is not ended stays forever. */
const PATIENCE_MS = 60_000

let parent: string
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "temporary-"))
})
afterEach(() => rm(parent, { recursive: true, force: true, maxRetries: 5 }))

/** A Node program that runs until it is killed, with `word` in its command line. */
const idle = (word: string) => spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)", word], { stdio: "ignore" })

test("Directories of ended processes are removed at the next start, with their servers, and other directories stay", async () => {
  const elsewhere = join(parent, "elsewhere")
  await mkdir(elsewhere)
  const [, space] = /-(\d+)\.\d+-\w{6}$/.exec(await makeTemporaryDirectory("own", elsewhere)) ?? []
  const living = [`turnpike-a-${space}.${process.pid}-abcdef`, `turnpike-a-1.${NOT_A_PROCESS}-abcdef`, "turnpike-other"]
  const left = `turnpike-a-b-${space}.${NOT_A_PROCESS}-abcdef`
  for (const name of [...living, left]) await mkdir(join(parent, name))
  const server = idle(join(parent, left, "data"))
  const other = idle(join(parent, living[0] as string))
  const ended = once(server, "exit")

  const made = await makeTemporaryDirectory("own", parent)
  expect((await ended)[1]).toBe("SIGTERM")
  expect(await readdir(parent)).toEqual([...living, "elsewhere", made.slice(parent.length + 1)].sort())
  expect(isAlive(other.pid as number)).toBe(true)
  other.kill()
})

const OWNER = `
import { spawn } from "node:child_process"
import { makeTemporaryDirectory } from "${resolve("src/local/temporary-directory.ts")}"
import { endWithUs } from "${resolve("src/local/watchdog.ts")}"
const dir = await makeTemporaryDirectory("owner", process.env.PARENT)
const start = (word) => spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)", word], { stdio: "ignore", detached: true })
const [server, group, forgotten] = [start(dir), start(dir), start("on its own")]
endWithUs({ pid: server.pid, words: [dir], signals: ["SIGKILL"] })
endWithUs({ pid: -group.pid, words: [dir], signals: ["SIGTERM", "SIGKILL"] })
endWithUs({ pid: forgotten.pid, words: ["another command"], signals: ["SIGKILL"] })
endWithUs({ pid: forgotten.pid, words: ["on its own"], signals: ["SIGKILL"] })()
console.log(JSON.stringify([server.pid, group.pid, forgotten.pid]))
`

test("Servers of a process killed with SIGKILL end with its directory, and others stay", async () => {
  const owner = spawn(process.execPath, ["--input-type=module", "-e", OWNER], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, PARENT: parent },
  })
  const [line] = (await once(createInterface(owner.stdout), "line")) as [string]
  const [server, group, forgotten] = JSON.parse(line) as [number, number, number]
  expect((await readdir(parent)).length).toBe(1)
  expect([server, group, forgotten].map(isAlive)).toEqual([true, true, true])
  owner.kill("SIGKILL")
  // The directory is removed after the processes have ended.
  expect(await soon(async () => (await readdir(parent)).length === 0, PATIENCE_MS)).toBe(true)
  expect([server, group, forgotten].map(isAlive)).toEqual([false, false, true])
  process.kill(forgotten, "SIGKILL")
})

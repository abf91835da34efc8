import { expect, test } from "vitest"
import { type Process, processes, signal, soon } from "../../src/local/processes.ts"
import { npmStart, type Started } from "../harness/npm-start.ts"

/** The processes that use a data directory: PostgreSQL, wrangler, and the command itself. */
const of = async ({ dataDir }: Pick<Started, "dataDir">) =>
  (await processes()).filter(({ command }) => command.includes(dataDir) && !command.includes("<defunct>"))

/** The processes of `npm start` that the test kills; all others continue or end by themselves. */
const KILLS: Record<string, (all: Process[], started: Started) => number[]> = {
  "npm and what it started": (_all, { pid }) => [-pid],
  "npm alone": (_all, { pid }) => [pid],
  "its command alone": (all) =>
    all.filter(({ command }) => command.includes("src/local/start.ts")).map(({ pid }) => pid),
  "its command and PostgreSQL": (all) =>
    all.filter(({ command }) => /src\/local\/start\.ts|postgres -D/.test(command)).map(({ pid }) => pid),
}

test("A second `npm start` does not disturb the first, and a start after a kill -9 has the same port and data", async () => {
  let started = await npmStart()
  const { port, dataDir, api_key: key } = started
  await expect(npmStart({ port, dataDir })).rejects.toThrow(
    /Another command \(process \d+\) uses .+ Stop it, or choose another directory with --data\./,
  )
  expect((await fetch(`http://127.0.0.1:${port}/v1/me`)).status).toBe(401)
  for (const [what, victims] of Object.entries(KILLS)) {
    const pids = victims(await of(started), started)
    expect(pids.length, what).toBeGreaterThan(0)
    for (const pid of pids) signal(pid, "SIGKILL")
    started = await npmStart({ port, dataDir })
    expect(started).toMatchObject({ port, api_key: key })
    const answer = await fetch(`http://127.0.0.1:${port}/v1/turns`, { headers: { authorization: `Bearer ${key}` } })
    expect(answer.status, what).toBe(200)
  }
  await started.stop()
  expect(await soon(async () => (await of({ dataDir })).length === 0, 20_000)).toBe(true)
})

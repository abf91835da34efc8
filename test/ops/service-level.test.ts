import { beforeEach, expect, test } from "vitest"
import { databaseOver } from "../../src/platform/db.ts"
import { sweepOverview } from "../../src/system/get-overview.ts"
import type { getServiceLevel } from "../../src/system/get-service-level.ts"
import { authContextOf } from "../harness/auth.ts"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { sendUntilItWaits, waiter } from "../harness/waiting.ts"
import { refundText, refundTool } from "../harness/waiting-tools.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

type Level = Awaited<ReturnType<typeof getServiceLevel>>

const MINUTE_MS = 60_000
const QUARTER_MS = 15 * MINUTE_MS

let world: World
let admin: Admin
let client: TestClient
let space: string
beforeEach(async () => {
  world = await createWorld({ isNew: true })
  admin = await signInAdmin(world)
  client = await world.createAccount()
  space = await client.space({ tools: [refundTool({ approval: "always" })] })
  // To the start of a quarter of an hour.
  await world.advance(QUARTER_MS - (world.clock.ms() % QUARTER_MS))
  return () => world.close()
})

async function level(query = ""): Promise<Level> {
  const [status, answer] = await admin.json("GET", `/api/admin/service-level${query}`)
  expect(status).toBe(200)
  return answer
}

const newest = async () => (await level()).levels.at(-1)

/** Lets time pass, and the cron run at its end. */
async function later(ms: number) {
  await world.settled()
  await world.advance(ms)
  await world.sweep()
}

const quiet = {
  done: 0,
  failed: 0,
  p95_seconds: null,
  provider_calls: 0,
  provider_errors: 0,
  oldest_queued_seconds: 0,
  webhook_backlog: 0,
}

test("A quarter of an hour counts live turns and calls as they end, and is final after it", async () => {
  const starts_at = world.clock.now().toISOString()
  await world.sweep()
  expect(await newest()).toEqual({ ...quiet, starts_at })
  await client.runTurn({ space })
  await client.runTurn({ space, text: "[fail OUT_OF_STOCK]" })
  const key = await world.makeKey(client.userId, { test: true })
  const tester = world.createClient(client.userId, key.value)
  await tester.runTurn({ space: await tester.space() })
  await world.sql(
    "insert into infrastructure_errors (kind, name, code, created_at) values ('model_call', 'anthropic', 'overloaded', $1)",
    [world.clock.now()],
  )
  await later(MINUTE_MS)
  expect(await newest()).toMatchObject({ starts_at, done: 1, failed: 1, provider_errors: 1 })
  await later(13 * MINUTE_MS)
  await client.runTurn({ space })
  await later(2 * MINUTE_MS)
  const { levels } = await level()
  expect(levels).toHaveLength(96)
  expect(levels.at(-2)).toMatchObject({ starts_at, done: 2, failed: 1, provider_errors: 1 })
  expect(levels.at(-2)?.provider_calls).toBeGreaterThanOrEqual(2)
  expect(levels.at(-1)).toMatchObject({ ...quiet, done: 0 })
})

test("The duration of turns leaves their waits out", async () => {
  const { turn_id } = await sendUntilItWaits(world, client, { space, text: refundText(5) })
  await later(5 * MINUTE_MS)
  await waiter(client).decide(turn_id, { decision: "deny" })
  await world.drain()
  await later(MINUTE_MS)
  const level = await newest()
  expect(level?.done).toBe(1)
  expect(level?.p95_seconds).toBeLessThan(30)
})

test("The longest queue and the largest backlog of a quarter stay until its end", async () => {
  await client.sendTurn({ space, text: "hello" })
  await world.sql("update open_turns set created_at = $1", [new Date(world.clock.ms() - 40_000)])
  await world.sweep()
  await world.drain()
  await later(MINUTE_MS)
  expect(await newest()).toMatchObject({ oldest_queued_seconds: 40, done: 1 })
})

test("Quarters without the cron are counted when it runs again, and old ones are deleted", async () => {
  await world.sweep()
  await client.runTurn({ space })
  await later(4 * QUARTER_MS)
  const { levels } = await level()
  expect(levels.at(-5)).toMatchObject({ done: 1, oldest_queued_seconds: 0 })
  expect(levels.at(-3)).toMatchObject({ done: 0, oldest_queued_seconds: null, webhook_backlog: null })
  expect(levels.at(-7)).toMatchObject({ done: null, provider_calls: null })
  await later(32 * 86_400_000)
  expect(await world.sql("select from service_levels")).toHaveLength(96)
})

test("The lines have a point although the counts of the overview fail, and the overview has counts although the point fails", async () => {
  const sweepWithout = (procedure: string) => {
    const ctx = authContextOf(world)
    const db = databaseOver((statement) =>
      statement.sql.includes(`.${procedure}(`)
        ? Promise.reject(new Error(`${procedure} failed`))
        : ctx.db.run(statement),
    )
    return sweepOverview({ ...ctx, db })
  }
  const starts_at = world.clock.now().toISOString()
  await expect(sweepWithout("count_overview")).rejects.toThrow("count_overview failed")
  expect(await newest()).toEqual({ ...quiet, starts_at })
  await world.sql("delete from overview_counts")
  await expect(sweepWithout("note_service_level")).rejects.toThrow("note_service_level failed")
  expect(await world.sql("select from overview_counts")).toHaveLength(1)
})

test("The verdict says since when every check has passed, and names failing ones with their pages", async () => {
  await world.sweep()
  await world.sweep()
  const since = world.clock.now().toISOString()
  await later(2 * MINUTE_MS)
  const minute = since.slice(0, 16).replace("T", " ")
  expect(await level("?days=7")).toMatchObject({
    status: "ok",
    verdict: `Every check has passed since ${minute} UTC.`,
    since,
    failing: [],
  })
  await world.sql("update reconciliations set findings = 2")
  await world.sql(
    "insert into infrastructure_errors (kind, name, code, created_at) values ('model_call', 'anthropic', 'unauthorized', $1)",
    [world.clock.now()],
  )
  const { failing, ...told } = await level()
  expect(told).toMatchObject({ status: "failing", since: null })
  expect(failing.map(({ name, page }) => [name, page])).toEqual([
    ["reconciliation", "/operator/system"],
    ["providers", "/operator/providers"],
  ])
  expect(told.verdict).toBe(failing.map(({ message }) => message).join(" "))
  expect(failing[1]?.turns).toMatch(/^\/operator\/turns\?failure=model_call&created_after=/)
  await later(MINUTE_MS)
  const failedAt = world.clock.now().toISOString()
  await world.sql("update reconciliations set findings = 0")
  await later(11 * MINUTE_MS)
  const mended = await level()
  expect(mended.status).toBe("ok")
  expect(Date.parse(mended.since ?? "")).toBeGreaterThanOrEqual(Date.parse(failedAt))
})

test("Users who are no admins cannot read it", async () => {
  const { userId } = await world.createAccount()
  const session = await world.signIn(userId)
  expect((await session.json("GET", "/api/admin/service-level"))[0]).toBe(403)
})

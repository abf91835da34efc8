import { beforeEach, expect, test } from "vitest"
import { EMAIL_HOOK, receiveEmails } from "../harness/notices.ts"
import { createWorld, type World } from "../harness/world.ts"

interface Told {
  alert: string
  state: string
  message: string
  url: string
  turns_url: string | null
}

let world: World
let told: Told[]
let isDown: boolean
beforeEach(async () => {
  world = await createWorld({ env: { ALERT_URL: "https://alerts.test/in" } })
  told = []
  isDown = false
  world.serve("alerts.test", async (request) => {
    if (isDown) return new Response(null, { status: 502 })
    told.push((await request.json()) as Told)
    return new Response(null, { status: 204 })
  })
  await world.sweep()
  return () => world.close()
})

const brief = () => told.map(({ alert, state }) => `${alert} ${state}`)

/** Lets a minute pass and the cron run. */
async function minute(): Promise<void> {
  await world.advance(60_000)
  await world.sweep()
}

const QSTASH_IS_DOWN = [{ service: "qstash", call: 1, times: 999, action: "fail", when: "before" } as const]

/** How each check begins and ends to fail, by the database's rows. */
const failures: [check: string, begin: () => Promise<unknown>, end: () => Promise<unknown>][] = [
  ["queue", () => world.plan(QSTASH_IS_DOWN), () => world.clearFaults()],
  [
    "reconciliation",
    () => world.sql("update reconciliations set findings = 1"),
    () => world.sql("update reconciliations set findings = 0"),
  ],
  [
    "sweeps",
    () =>
      world.sql("insert into sweeps (name, ran_at, duration_ms, ok) values ('planted', $1, 1, false)", [
        world.clock.now(),
      ]),
    () => world.sql("delete from sweeps where name = 'planted'"),
  ],
]

test.each(failures)(
  "A failure of the check %s is told once after two minutes, and its end once",
  async (check, begin, end) => {
    await begin()
    await minute()
    expect(brief()).toEqual([])
    for (let passed = 0; passed < 4; passed++) await minute()
    expect(brief()).toEqual([`${check} firing`])
    await end()
    for (let passed = 0; passed < 3; passed++) await minute()
    expect(brief()).toEqual([`${check} firing`, `${check} resolved`])
  },
)

test("An alert has the page of its check, and the list of the turns that it hits", async () => {
  await world.sql(
    "insert into infrastructure_errors (kind, name, code, created_at) values ('model_call', 'anthropic', 'unauthorized', $1)",
    [world.clock.now()],
  )
  await world.plan(QSTASH_IS_DOWN)
  for (let passed = 0; passed < 3; passed++) await minute()
  const { origin } = new URL(told[0]?.url ?? "")
  expect(told.map(({ alert, url, turns_url }) => [alert, url, turns_url])).toEqual([
    [
      "providers",
      `${origin}/operator/providers`,
      expect.stringContaining(`${origin}/operator/turns?failure=model_call`),
    ],
    ["queue", `${origin}/operator/system`, `${origin}/operator/turns?state=queued&direction=asc`],
  ])
})

test("A failure of one minute is not told, and neither is its end", async () => {
  await world.plan(QSTASH_IS_DOWN)
  await minute()
  await world.clearFaults()
  for (let passed = 0; passed < 3; passed++) await minute()
  expect(brief()).toEqual([])
  expect(await world.sql("select name from alerts")).toEqual([])
})

test("An alert that could not be sent is sent by the next run, and a second failure is told again", async () => {
  isDown = true
  await world.plan(QSTASH_IS_DOWN)
  for (let passed = 0; passed < 4; passed++) await minute()
  expect(brief()).toEqual([])
  isDown = false
  await minute()
  expect(brief()).toEqual(["queue firing"])
  await world.clearFaults()
  await minute()
  await world.plan(QSTASH_IS_DOWN)
  for (let passed = 0; passed < 3; passed++) await minute()
  expect(brief()).toEqual(["queue firing", "queue resolved", "queue firing"])
})

test("Two runs of the cron at one moment tell an alert once", async () => {
  await world.plan(QSTASH_IS_DOWN)
  await minute()
  await world.advance(60_000)
  await Promise.all([world.sweep(), world.sweep()])
  expect(brief()).toEqual(["queue firing"])
})

test("A cron that has stopped is told by a runner of turns", async () => {
  await world.advance(600_000)
  const client = await world.createAccount()
  await client.runTurn({ space: await client.space() })
  await world.settled()
  await world.advance(301_000)
  await client.runTurn({ space: await client.space() })
  await world.settled()
  expect(brief()).toEqual(["cron firing"])
})

test("An alert is also an email, if an address and the email server are set", async () => {
  world.rebind({ ...EMAIL_HOOK, ALERT_EMAIL: "ops@acme.com" })
  const emails = receiveEmails(world)
  await world.plan(QSTASH_IS_DOWN)
  for (let passed = 0; passed < 3; passed++) await minute()
  expect(emails.map(({ kind, to, data }) => [kind, to, data.alert])).toEqual([
    ["operator_alert", "ops@acme.com", "queue"],
  ])
})

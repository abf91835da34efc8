import { afterEach, beforeEach, expect, test, vi } from "vitest"
import type { Health } from "../../src/system/get-health.ts"
import { createPerson, postLogin } from "../harness/auth.ts"
import { signInAdmin } from "../harness/books.ts"
import { createWorld, type World } from "../harness/world.ts"

const HEALTH_TOKEN = "token-of-the-monitor"
const PASSWORD = "a long password of a person"
const REDIS = "ERR max requests limit exceeded. Limit: 500000, Usage: 500000."
const QSTASH = "Exceeded daily rate limit. Upgrade your plan to publish more messages."

interface Told {
  alert: string
  state: string
  message: string
}

let world: World
let told: Told[]
beforeEach(async () => {
  world = await createWorld({ env: { ALERT_URL: "https://alerts.test/in" } })
  world.rebind({ HEALTH_TOKEN })
  told = []
  world.serve("alerts.test", async (request) => {
    told.push((await request.json()) as Told)
    return new Response(null, { status: 204 })
  })
  await world.sweep()
  return () => world.close()
})
afterEach(() => {
  vi.restoreAllMocks()
})

/** Answers calls of these services as they do when their plans are used up, until the mocks are restored. */
function refuse(isRefused: (url: string) => Response | null): void {
  const real = globalThis.fetch
  vi.spyOn(globalThis, "fetch").mockImplementation(
    async (input, init) => isRefused(input instanceof Request ? input.url : String(input)) ?? real(input, init),
  )
}

const redisRefuses = (url: string) =>
  url.startsWith(world.env.UPSTASH_REDIS_REST_URL ?? "none") ? Response.json({ error: REDIS }, { status: 400 }) : null
const qstashRefuses =
  (path = "", status = 429) =>
  (url: string) =>
    url.startsWith(`${world.env.QSTASH_URL}${path}`) ? Response.json({ error: QSTASH }, { status }) : null

async function health(): Promise<[number, Record<string, { ok: boolean | null; message: string }>]> {
  const headers = { Authorization: `Bearer ${HEALTH_TOKEN}` }
  const answer = await world.invoke(new Request("https://api.test/api/health", { headers }))
  const { checks } = (await answer.json()) as Health
  return [answer.status, Object.fromEntries(checks.map(({ name, ok, message }) => [name, { ok, message }]))]
}

test("Ten minutes without the plans of Redis and QStash are told with the providers' words, and turns and sessions work", async () => {
  const { email } = await createPerson(world, { password: PASSWORD })
  const client = await world.createAccount()
  const space = await client.space()
  const admin = await signInAdmin(world)
  refuse((url) => redisRefuses(url) ?? qstashRefuses()(url))
  for (let minute = 0; minute < 10; minute++) {
    await world.advance(60_000)
    await world.sweep()
    const [status, { redis, queue, database }] = await health()
    expect(status).toBe(503)
    expect(redis).toMatchObject({ ok: false, message: expect.stringContaining(REDIS) })
    expect(queue).toMatchObject({ ok: false, message: expect.stringContaining(QSTASH) })
    expect(database?.ok).toBe(true)
    const [, system] = await admin.json("GET", "/api/admin/system")
    expect(system.outside.map(({ name, ok }: { name: string; ok: boolean }) => [name, ok])).toEqual([
      ["queue", false],
      ["redis", false],
    ])
    // Keys and sessions work, and turns are accepted.
    expect((await client.sendTurn({ space })).status).toBe(202)
    const login = await postLogin(world, email, PASSWORD)
    expect([login.status, login.answer.code, login.headers.get("retry-after")]).toEqual([503, "UNAVAILABLE", "3600"])
    expect(login.answer.detail).toContain("used up its plan")
  }
  // The check of turns may fire as well, since nothing calls a runner.
  const alerts = () => told.filter(({ alert }) => alert === "redis" || alert === "queue")
  expect(
    alerts()
      .map(({ alert, state }) => `${alert} ${state}`)
      .sort(),
  ).toEqual(["queue firing", "redis firing"])
  expect(
    alerts()
      .map(({ message }) => message)
      .sort(),
  ).toEqual([expect.stringContaining(QSTASH), expect.stringContaining(REDIS)])
  expect(JSON.stringify(told)).not.toContain("command was")

  vi.restoreAllMocks()
  await world.advance(60_000)
  await world.sweep()
  await world.drain()
  const [, { redis, queue }] = await health()
  expect([redis?.ok, queue?.ok]).toEqual([true, true])
  expect(
    alerts()
      .slice(-2)
      .map(({ alert, state }) => `${alert} ${state}`)
      .sort(),
  ).toEqual(["queue resolved", "redis resolved"])
  expect((await postLogin(world, email, PASSWORD)).status).toBe(200)
})

const PUBLISH = "/v2/publish"

test.each([
  [429, false],
  [402, false],
  [429, true],
])(
  "QStash that refuses only messages, with %i, fails its check until it accepts one (without Redis: %s)",
  async (status, withoutRedis) => {
    const client = await world.createAccount()
    const space = await client.space()
    const published = () => world.qstash.pending().then((all) => all.length)
    expect((await health())[1].queue?.ok).toBe(true)
    expect(await published(), "a check of a queue that refuses nothing publishes nothing").toBe(0)

    const refuses = qstashRefuses(PUBLISH, status)
    refuse((url) => refuses(url) ?? (withoutRedis ? redisRefuses(url) : null))
    const sent = (await (await client.sendTurn({ space })).json()) as { turn_id: string }
    for (let minute = 0; minute < 3; minute++) {
      expect((await health())[1].queue).toMatchObject({ ok: false, message: expect.stringContaining(QSTASH) })
      await world.advance(60_000)
      await world.sweep()
    }
    expect(told.filter(({ alert }) => alert === "queue")).toMatchObject([
      { state: "firing", message: expect.stringContaining(QSTASH) },
    ])

    vi.restoreAllMocks()
    expect((await health())[1].queue?.ok, "it accepts a message").toBe(true)
    const after = await published()
    expect((await health())[1].queue?.ok).toBe(true)
    expect(await published(), "and no other one is published").toBe(after)
    await world.advance(60_000)
    await world.sweep()
    await world.drain()
    expect(await client.getTurn(sent.turn_id)).toMatchObject({ state: "done" })
    expect(told.filter(({ alert }) => alert === "queue").at(-1)).toMatchObject({ state: "resolved" })
  },
)

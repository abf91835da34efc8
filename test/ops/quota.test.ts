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

/** Redis and QStash answer as they do when their plans are used up, until the mocks are restored. */
function useUpPlans(): void {
  const real = globalThis.fetch
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const url = input instanceof Request ? input.url : String(input)
    if (url.startsWith(world.env.UPSTASH_REDIS_REST_URL ?? "none"))
      return Response.json({ error: REDIS }, { status: 400 })
    if (url.startsWith(world.env.QSTASH_URL ?? "none")) return Response.json({ error: QSTASH }, { status: 429 })
    return real(input, init)
  })
}

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
  useUpPlans()
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
  const alerts = told.filter(({ alert }) => alert === "redis" || alert === "queue")
  expect(alerts.map(({ alert, state }) => `${alert} ${state}`).sort()).toEqual(["queue firing", "redis firing"])
  expect(alerts.map(({ message }) => message).sort()).toEqual([
    expect.stringContaining(QSTASH),
    expect.stringContaining(REDIS),
  ])
  expect(JSON.stringify(told)).not.toContain("command was")

  vi.restoreAllMocks()
  await world.advance(60_000)
  await world.sweep()
  await world.drain()
  const [, { redis, queue }] = await health()
  expect([redis?.ok, queue?.ok]).toEqual([true, true])
  expect(
    told
      .slice(-2)
      .map(({ alert, state }) => `${alert} ${state}`)
      .sort(),
  ).toEqual(["queue resolved", "redis resolved"])
  expect((await postLogin(world, email, PASSWORD)).status).toBe(200)
})

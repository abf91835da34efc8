import { afterEach, beforeEach, describe, expect, test } from "vitest"
import type { Health } from "../../src/system/get-health.ts"
import { createWorld, type World } from "../harness/world.ts"

const HEALTH_TOKEN = "token-of-the-monitor"

let world: World
beforeEach(async () => {
  world = await createWorld()
  world.rebind({ HEALTH_TOKEN })
  await world.sweep()
  return () => world.close()
})
afterEach(() => world.clearFaults())

const ask = (path = "/api/health", token = HEALTH_TOKEN) =>
  world.invoke(new Request(`https://api.test${path}`, { headers: { Authorization: `Bearer ${token}` } }))

async function checks(): Promise<[number, Record<string, boolean | null>]> {
  const answer = await ask()
  const { checks } = (await answer.json()) as Health
  return [answer.status, Object.fromEntries(checks.map(({ name, ok }) => [name, ok]))]
}

const FINE = {
  database: true,
  queue: true,
  redis: true,
  cron: true,
  sweeps: true,
  turns: true,
  webhooks: true,
  reconciliation: true,
  providers: true,
  provider_books: true,
  settings: true,
}

describe("GET /api/health", () => {
  test("A service in order passes every check", async () => {
    expect(await checks()).toEqual([200, FINE])
  })

  test("Only the configured token is accepted, and without one the operation does not exist", async () => {
    expect((await ask("/api/health", "another")).status).toBe(401)
    expect((await world.invoke(new Request("https://api.test/api/health"))).status).toBe(401)
    world.rebind({ HEALTH_TOKEN: undefined })
    expect((await ask()).status).toBe(404)
  })

  test("A cron that has stopped fails the check after three minutes", async () => {
    await world.advance(170_000)
    expect((await checks())[0]).toBe(200)
    await world.advance(20_000)
    expect(await checks()).toEqual([503, { ...FINE, cron: false }])
    await world.sweep()
    expect((await checks())[0]).toBe(200)
  })

  test("A sweep that fails for ten minutes is named", async () => {
    for (let minute = 0; minute < 11; minute++) {
      await world.advance(60_000)
      await world.sql(
        "update sweeps set ran_at = $1, succeeded_at = case when name = 'books' then succeeded_at else $1 end",
        [world.clock.now()],
      )
    }
    const answer = await ask()
    expect(answer.status).toBe(503)
    const { checks } = (await answer.json()) as Health
    expect(checks.find(({ name }) => name === "sweeps")).toMatchObject({ ok: false, message: "Failing sweeps: books." })
  })

  test("A call that a provider refused for a reason of our own account fails the check for ten minutes", async () => {
    const note = (name: string, code: string) =>
      world.sql("insert into infrastructure_errors (kind, name, code, created_at) values ('model_call', $1, $2, $3)", [
        name,
        code,
        world.clock.now(),
      ])
    await note("openai", "rejected")
    await note("an-account", "no_model")
    expect((await checks())[0], "a refused request, or another account that has the model").toBe(200)
    await note("openai", "unauthorized")
    expect(await checks()).toEqual([503, { ...FINE, providers: false }])
    await world.advance(601_000)
    await world.sweep()
    expect((await checks())[1].providers).toBe(true)
  })

  test("A call in a tier that the catalog has no factor for fails the check, which is an alert", async () => {
    await world.sql(
      "insert into infrastructure_errors (kind, name, code, created_at) values ('model_call', 'openai', 'unpriced', $1)",
      [world.clock.now()],
    )
    expect(await checks()).toEqual([503, { ...FINE, providers: false }])
    await world.advance(601_000)
    await world.sweep()
    expect((await checks())[1].providers).toBe(true)
  })

  test("A turn that no runner takes is overdue, and one that waits for its account is not", async () => {
    const client = await world.createAccount()
    const space = await client.space()
    await world.plan([{ service: "qstash", call: 1, times: 99, action: "fail", when: "before" }])
    await client.sendTurn({ space })
    await world.clearFaults()
    await world.advance(121_000)
    await world.sql("update sweeps set ran_at = $1", [world.clock.now()])
    expect(await checks()).toEqual([503, { ...FINE, turns: false }])
    await client.sendTurn({ space, conversation: "another" })
    await world.sql(
      "update open_turns set state = 'running', wake_at = $1 where turn_id = (select max(turn_id) from open_turns)",
      [new Date(world.clock.ms() + 60_000)],
    )
    expect((await checks())[0]).toBe(200)
  })

  test("Findings of a reconciliation fail its check", async () => {
    await world.sql("update reconciliations set findings = 2")
    const [status, found] = await checks()
    expect([status, found.reconciliation]).toEqual([503, false])
  })

  test("A database and a queue that do not answer fail the check, and nothing is invented", async () => {
    await world.plan([{ service: "pg", call: 1, times: 99, action: "fail", when: "before" }])
    const unknown = Object.fromEntries(Object.keys(FINE).map((name) => [name, null]))
    expect(await checks()).toEqual([503, { ...unknown, database: false, queue: true, redis: true }])
    await world.plan([{ service: "qstash", call: 1, times: 99, action: "fail", when: "before" }])
    expect(await checks()).toEqual([503, { ...FINE, queue: false }])
  })

  test("The same figures are metrics of Prometheus", async () => {
    const answer = await ask("/api/health?format=prometheus")
    expect(answer.headers.get("content-type")).toContain("text/plain; version=0.0.4")
    const lines = (await answer.text()).split("\n")
    expect(lines).toContain("turnpike_up 1")
    expect(lines).toContain('turnpike_check_ok{check="queue"} 1')
    expect(lines).toContain('turnpike_check_value{check="turns"} 0')
    for (const line of lines)
      expect(line).toMatch(/^(# (HELP|TYPE) turnpike_\w+ .+|turnpike_\w+(\{check="\w+"\})? -?[\d.]+|)$/)
  })
})

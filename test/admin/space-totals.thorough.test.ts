import { afterAll, beforeAll, expect, test } from "vitest"
import { ANALYTICS_POLICY } from "../../src/analytics/policies.ts"
import { sweepAnalytics } from "../../src/analytics/roll.ts"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { contextOf } from "../harness/context.ts"
import { createRandom } from "../harness/random.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
let admin: Admin
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
})
afterAll(() => world.close())

const roll = () => sweepAnalytics(contextOf(world))

interface Shown {
  slug: string
  messages: number
  cost_credit_micros: number
  last_activity: string | null
}

const shown = async (): Promise<Shown[]> =>
  (await admin.json("GET", "/api/admin/spaces/list?archived=all&sort=created_at"))[1].items

/** The expected totals, computed from the turns. */
const said = () =>
  world.sql<{ slug: string; turns: number; micros: number; at: string | null }>(
    `select s.slug, count(t.turn_id)::int as turns, coalesce(sum(t.billed_credit_micros), 0)::int as micros,
       to_char(max(coalesce(t.finished_at, t.started_at, t.created_at)), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at
     from spaces s left join turns t on t.space_id = s.space_id group by s.space_id order by s.created_at, s.space_id`,
  )

async function expectExact(when: string) {
  const expected = (await said()).map(({ slug, turns, micros, at }) => ({
    slug,
    messages: turns,
    cost_credit_micros: micros,
    last_activity: at,
  }))
  expect(await shown(), when).toMatchObject(expected)
  for (const { slug, turns, micros } of await said()) {
    const [, chat] = await admin.json("GET", `/api/admin/spaces/by-key/space:${slug}`)
    const sum = (field: "turns" | "cost_credit_micros") =>
      chat.items.reduce((all: number, person: Record<typeof field, number>) => all + person[field], 0)
    expect([sum("turns"), sum("cost_credit_micros")], when).toEqual([turns, micros])
  }
}

test("Totals equal the sums of the turns at every moment, whichever turns end and whenever the roll-up runs", async () => {
  const random = createRandom("totals of spaces")
  const client = await world.createAccount()
  const spaces = [await client.space(), await client.space(), await client.space()]
  const policy = ANALYTICS_POLICY as { rollBatch: number; rollBatches: number }
  const was = { ...policy }
  const sent: string[] = []
  try {
    for (let round = 0; round < 40; round++) {
      await world.advance(1_000)
      // Some runs stop in the middle of the queue.
      Object.assign(policy, { rollBatch: 1 + random.int(3), rollBatches: 1 + random.int(2) })
      const act = random.int(6)
      if (act <= 1) {
        const text = random.pick(["[use input=100 output=3]\nx", "[fail OUT_OF_STOCK]", "[fail INTERNAL]"])
        const end_user_ref = `customer-${random.int(3)}`
        const turn = await client.sendTurn({ space: random.pick(spaces), text, end_user_ref })
        sent.push(((await turn.json()) as { turn_id: string }).turn_id)
      } else if (act === 2 && sent.length > 0) {
        await client.call("POST", `/v1/turns/${random.pick(sent)}/cancel`)
      } else if (act === 3) {
        await world.drain()
      } else {
        await Promise.all([roll(), roll()])
      }
      await expectExact(`round ${round}`)
    }
    await client.call("DELETE", `/v1/spaces/${spaces[0]}`)
    await expectExact("archived")
    await client.call("DELETE", "/v1/end-users/customer-1")
    await world.sweep()
    await expectExact("erased")
  } finally {
    Object.assign(policy, was)
  }
  await world.drain()
  await roll()
  expect(await world.sql("select * from turn_ends")).toEqual([])
  await expectExact("rolled")
})

test("A roll-up that is lost before or after its effect changes nothing", async () => {
  const client = await world.createAccount()
  const space = await client.space()
  for (const when of ["before", "after"] as const) {
    await client.runTurn({ space, text: "[use input=100 output=3]\nx" })
    await world.plan([{ service: "pg", match: "roll_turns", call: 1, action: "cut", when }])
    await expect(roll()).rejects.toThrow()
    await world.clearFaults()
    await expectExact(`lost ${when} its effect`)
    await roll()
    await expectExact(`after the one lost ${when}`)
  }
})

test("The context sizes of the last calls are shown for the space's own agent and each sub-agent, with window and share", async () => {
  const client = await world.createAccount()
  const subagents = ["helper", "writer"].map((name) => ({ name, description: "Helps.", instructions: "Help." }))
  const space = await client.space({ title: "Contexts", manifest: { subagents } })
  const none = await client.space({ title: "Silent" })
  const run = (text: string) => client.runTurn({ space, text })
  const context = async (slug: string) => {
    const [status, page] = await admin.json("GET", "/api/admin/spaces/sessions")
    expect(status).toBe(200)
    return page.items.find((item: { slug: string }) => item.slug === slug)
  }
  expect(await context(space)).toMatchObject({ title: "Contexts", orchestrator: null, subagents: [] })
  await run("[use input=2000 output=3]\n[delegate writer [use input=700]]")
  await world.advance(1_000)
  const last = await run("[use input=500 output=3]\n[delegate helper [use input=900]]")
  const model = "rehearsal/standard"
  for (const when of ["not rolled", "rolled"]) {
    const { orchestrator, subagents: helpers } = await context(space)
    const steps = await world.sql<{ tokens_input: string; subagent: string | null }>(
      "select tokens_input, subagent from turn_steps where turn_id = $1 order by step",
      [last.turn_id],
    )
    const own = Number(steps.filter(({ subagent }) => subagent === null).at(-1)?.tokens_input)
    expect(orchestrator, when).toEqual({
      model,
      context_tokens: own,
      window_tokens: 200_000,
      share: own / 200_000,
      turn_id: last.turn_id,
      called_at: expect.any(String),
    })
    expect(helpers, when).toMatchObject([
      { name: "helper", model, context_tokens: 900, share: 0.0045, turn_id: last.turn_id },
      { name: "writer", model, context_tokens: 700, share: 0.0035 },
    ])
    await roll()
  }
  const browser = await world.signIn(client.userId)
  await world.advance(1_000)
  await browser.json("POST", "/api/account/chat/turns", { space, text: "[use input=42]\nhi" })
  await world.drain()
  expect((await context(space)).orchestrator, "a web chat counts").toMatchObject({ context_tokens: 42 })
  expect(await context(none)).toMatchObject({ orchestrator: null, subagents: [] })
  const [, page] = await admin.json("GET", "/api/admin/spaces/sessions?limit=1")
  expect(page).toMatchObject({ limit: 1, offset: 0, items: [{ title: "Silent" }], total: (await shown()).length })
  expect((await admin.json("GET", "/api/admin/spaces/sessions?limit=10001"))[0]).toBe(422)
})

import { afterAll, beforeAll, expect, test } from "vitest"
import { callOne } from "../../src/platform/db.ts"
import { RELEASE } from "../../src/platform/procedures.ts"
import { createUsedWorld, useEverything } from "../harness/analytics-world.ts"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { contextOf } from "../harness/context.ts"
import { differences } from "../harness/rollups.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
let admin: Admin
beforeAll(async () => {
  world = await createWorld()
  const shared = await createUsedWorld(world, "ends")
  admin = await signInAdmin(world)
  await world.sql(
    `insert into provider_accounts (provider_id, pool, name, kind, engine, created_at, updated_at)
     values ('member-a', 'main', 'A', 'api_key', 'anthropic', now(), now())`,
  )
  await useEverything(world, shared)
})
afterAll(() => world.close())

interface Sums {
  turns: number
  input: number
  cached: number
  output: number
  micros: number
}

/** The totals of each person in each space, live and test, according to the turns. */
const PEOPLE = `
  select s.slug, coalesce(nullif(t.end_user_ref, ''), coalesce(t.member_id, t.user_id)::text) as person, count(*)::int as turns,
    sum(t.tokens_input)::int as input, sum(t.tokens_cached)::int as cached, sum(t.tokens_output)::int as output,
    sum(t.billed_credit_micros)::int as micros
  from turns t join spaces s on s.space_id = t.space_id group by 1, 2 order by 1, 2`

/** The same totals per space. */
const SPACES = `
  select s.slug, count(t.turn_id)::int as turns, coalesce(sum(t.billed_credit_micros), 0)::int as micros
  from spaces s left join turns t on t.space_id = s.space_id group by 1 order by 1`

async function shownSpaces() {
  const [, { items }] = await admin.json("GET", "/api/admin/spaces/list?archived=all")
  const spaces: { slug: string; messages: number; cost_credit_micros: number }[] = items
  return spaces
    .map(({ slug, messages, cost_credit_micros }) => ({ slug, turns: messages, micros: cost_credit_micros }))
    .sort((a, b) => (a.slug < b.slug ? -1 : 1))
}

async function shownPeople(): Promise<({ slug: string; person: string } & Sums)[]> {
  const [, { items: spaces }] = await admin.json("GET", "/api/admin/spaces/list?archived=all")
  const people: ({ slug: string; person: string } & Sums)[] = []
  for (const { slug } of spaces) {
    const [, chat] = await admin.json("GET", `/api/admin/spaces/by-key/space:${slug}`)
    for (const one of chat.items) {
      const { turns, tokens_input: input, tokens_cached: cached, tokens_output: output } = one
      const person = one.end_user_ref ?? String(one.user_id)
      if (turns > 0) people.push({ slug, person, turns, input, cached, output, micros: one.cost_credit_micros })
    }
  }
  const keyOf = ({ slug, person }: { slug: string; person: string }) => `${slug} ${person}`
  return people.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

/** The totals of live calls that a pool member served. */
const SERVED = `
  select count(*)::int as calls, sum(c.tokens_input)::int as input, sum(c.billed_credit_micros)::int as micros from (
    select u.tokens_input, u.billed_credit_micros from usage u where u.subscription_id = 'member-a' and not u.test
    union all select c.tokens_input, c.billed_credit_micros from chat_calls c where c.subscription_id = 'member-a' and not c.test) c`

/** The same totals as shown by the account, its capacity and the days of subscriptions. */
async function shownServed() {
  const [account] = await world.sql(
    `select r.model_calls::int as calls, r.tokens_input::int as input, r.billed_credit_micros::int as micros
     from ${RELEASE}.provider_rows(array['member-a'], $1) r`,
    [world.clock.now()],
  )
  const [spend] = await world.sql(
    `select (select coalesce(sum(n), 0) from unnest(s.summed) p, unnest(p.model_calls) n)::int
       + (select coalesce(sum(p.model_calls), 0) from unnest(s.queued) p)::int as calls
     from ${RELEASE}.served_spend(array['member-a'], $1, 100) s`,
    [new Date(world.clock.ms() - 7_200_000)],
  )
  const [, { items }] = await admin.json("GET", "/api/admin/subscriptions/usage?days=2")
  const plan = items.find(({ subscription_id }: { subscription_id: string }) => subscription_id === "member-a")
  const days: { model_calls: number; tokens_input: number }[] = plan.days
  return { account, calls: spend?.calls, planCalls: days.reduce((sum, day) => sum + day.model_calls, 0) }
}

/** Live turns by state, as the overview counts today's turns. */
const STATES = `select state, count(*)::int as turns from turns where finished_at is not null and not test group by 1 order by 1`

async function shownStates() {
  const [, { turns }] = await admin.json("GET", "/api/admin/overview")
  return Object.entries<number>(turns.today)
    .map(([state, count]) => ({ state, turns: count }))
    .filter((one) => one.turns > 0)
    .sort((a, b) => (a.state < b.state ? -1 : 1))
}

const sessions = async () => (await admin.json("GET", "/api/admin/spaces/sessions"))[1].items

test("A turn of several models counts once in every total and rollup, after each single row that is rolled up", async () => {
  const [spaces, people, [served], states, agents] = [
    await world.sql(SPACES),
    await world.sql(PEOPLE),
    await world.sql(SERVED),
    await world.sql(STATES),
    await sessions(),
  ]
  const [queued] = await world.sql<{ rows: number; turns: number }>(
    "select count(*)::int as rows, sum(turns)::int as turns from turn_ends",
  )
  const [ended] = await world.sql<{ turns: number }>(
    "select count(*)::int as turns from turns where finished_at is not null",
  )
  expect(queued?.turns, "one row of each turn counts it").toBe(ended?.turns)
  const rows = queued?.rows ?? 0
  expect(rows, "some turns have several rows").toBeGreaterThan(ended?.turns ?? 0)
  const expectExact = async (when: string) => {
    expect(await shownSpaces(), when).toEqual(spaces)
    expect(await shownPeople(), when).toEqual(people)
    expect(await shownServed(), when).toEqual({ account: served, calls: served?.calls, planCalls: served?.calls })
    expect(await shownStates(), when).toEqual(states)
    expect(await sessions(), when).toEqual(agents)
    expect(await differences(world), when).toEqual([])
  }
  await expectExact("not rolled up")
  for (let rolled = 1; rolled <= rows; rolled++) {
    expect(await callOne(contextOf(world).db, "roll_turns", { limit: 1 })).toEqual({ roll_turns: 1 })
    await expectExact(`after ${rolled} of ${rows} rows`)
  }
  expect(await world.sql("select 1 from turn_ends")).toEqual([])
})

import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { LIST_POLICY } from "../../src/base/policies.ts"
import { ANALYTICS, rollUp } from "../harness/analytics-world.ts"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { parseCsv } from "../harness/csv.ts"
import { createWorld, type World } from "../harness/world.ts"

/** More rows than the earlier page limits, and more than one part of a read. */
const SPACES = 1_203
const PEOPLE = 1_102
const DAY = "2026-11-19"
const USED_AT = `${DAY}T08:00:00Z`

let world: World
let admin: Admin
let slugs: string[]

beforeAll(async () => {
  world = await createWorld()
  await world.advance(Date.parse("2026-11-20T10:00:00Z") - world.clock.ms())
  admin = await signInAdmin(world)
  const [owner] = await world.sql<{ user_id: number }>(
    "insert into users (name, created_at) values ('Owner', now()) returning user_id::int",
  )
  const made = await world.sql<{ slug: string }>(
    `insert into spaces (slug, user_id, title, created_at, updated_at)
     select 'spc_many' || lpad(n::text, 5, '0'), $1, 'Space ' || n, now(), now() from generate_series(1, $2::int) n returning slug`,
    [owner?.user_id, SPACES],
  )
  slugs = made.map(({ slug }) => slug)
  // One turn with one call in each space; later turns have higher bills. They end like real turns,
  // with all side effects.
  await world.sql(
    `insert into turns (turn_id, user_id, key_id, space_id, conversation_id, position, test, end_user_ref, idempotency_key, request_hash,
       text, model, state, failed_by_us, hold_credit_micros, held_credit_micros, created_at, started_at, price_version)
     select 'turn_many' || s.space_id, s.user_id, 'key_many', s.space_id, 'many' || s.space_id, 1, false, 'customer-1', s.slug, '', '',
       'rehearsal/standard', 'running', false, 10000, 10000, $1, $1, 1 from spaces s`,
    [USED_AT],
  )
  await world.sql(
    `insert into usage (turn_id, step, user_id, space_id, conversation_id, key_id, end_user_ref, provider, subscription_id, model, tokens_input, tokens_cached,
       tokens_output, duration_sec, price_version, cost_credit_micros, billed_credit_micros, created_at, settled_at, test)
     select t.turn_id, 0, t.user_id, t.space_id, t.conversation_id, t.key_id, t.end_user_ref, 'rehearsal', 'member-' || t.space_id, t.model, 100, 0, 10, 1, 1,
       t.space_id, t.space_id, $1, $1, false from turns t`,
    [USED_AT],
  )
  await world.sql(
    `update turns set state = 'done', finished_at = $1, held_credit_micros = 0, cost_credit_micros = space_id, billed_credit_micros = space_id,
       model_calls = 1, tokens_input = 100, tokens_output = 10`,
    [USED_AT],
  )
  await world.sql(
    `insert into space_people (space_id, user_id, end_user_ref, turns, tokens_input, tokens_cached, tokens_output, billed_credit_micros,
       last_ended_at)
     select s.space_id, s.user_id, 'person-' || n, 1, 1, 0, 1, n, $2 from spaces s, generate_series(1, $3::int) n where s.slug = $1`,
    [slugs[0], USED_AT, PEOPLE],
  )
})
afterAll(() => world.close())

// biome-ignore lint/suspicious/noExplicitAny: each list has its own shape
type Json = any

const get = async (path: string): Promise<Json> => {
  const [status, answer] = await admin.json("GET", path)
  expect(status, path).toBe(200)
  return answer
}
const fileOf = async (path: string) => {
  let response = await admin.call("GET", `${path}${path.includes("?") ? "&" : "?"}format=csv`)
  if (response.status === 202) {
    const { file_id } = (await response.json()) as { file_id: string }
    await world.drain()
    response = await admin.call("GET", (await get(`/api/admin/report-files/${file_id}`)).url)
  }
  const [header = [], ...lines] = parseCsv(await response.text())
  return lines.map((line) => Object.fromEntries(line.map((field, at) => [header[at], field])))
}
const distinct = (values: unknown[]) => new Set(values).size
const most = () => [...slugs].reverse()

describe.each(["not rolled up", "rolled up"])("Lists without pages in the contract are complete, %s", (when) => {
  beforeAll(async () => {
    if (when === "rolled up") await rollUp(world)
  })

  test("The contexts of all spaces are listed without a limit, newest first", async () => {
    const { items, ...head } = await get("/api/admin/spaces/sessions")
    expect(head).toEqual({ total: SPACES, limit: 10_000, offset: 0 })
    expect(items.map(({ slug }: Json) => slug)).toEqual(most())
    const page = await get("/api/admin/spaces/sessions?limit=2&offset=1200")
    expect([page.total, page.items.map(({ slug }: Json) => slug)]).toEqual([SPACES, [slugs[2], slugs[1]]])
  })

  test("Context sizes cover every used space, also in the CSV", async () => {
    const { items, ...head } = await get(`${ANALYTICS}/context-size?days=20`)
    expect(head).toMatchObject({ total: SPACES, limit: 10_000, offset: 0 })
    expect(items.map(({ slug }: Json) => slug)).toEqual(most())
    expect(distinct(items.map(({ model_calls, days }: Json) => `${model_calls} ${days.length}`))).toBe(1)
    expect((await get(`${ANALYTICS}/context-size?days=20&limit=2&offset=1202`)).items).toMatchObject([
      { slug: slugs[0] },
    ])
    const lines = await fileOf(`${ANALYTICS}/context-size?days=20&limit=2`)
    expect([lines.length, distinct(lines.map(({ slug }) => slug))]).toEqual([SPACES * 20, SPACES])
  })

  test("Usage by slug has the days of each space under its slug, and no other key", async () => {
    const { series, ...head } = await get("/api/admin/usage?group_by=slug&days=20")
    expect(head).toMatchObject({ grouped_by: "slug", total: SPACES, limit: 10_000, offset: 0 })
    expect(Object.keys(head)).not.toContain("other")
    expect(Object.keys(series)).toEqual(most())
    const flat = await get("/api/admin/usage?days=20")
    const day = (rows: Json[]) => rows.find(({ date }) => date === DAY)
    const sum = (of: (row: Json) => number) =>
      Object.values<Json>(series).reduce((total, rows) => total + of(day(rows)), 0)
    expect(sum(({ turns }) => turns)).toBe(day(flat).turns)
    expect(sum(({ billed_cost_usd }) => Math.round(billed_cost_usd * 1e7))).toBe(
      Math.round(day(flat).billed_cost_usd * 1e7),
    )
    const page = await get("/api/admin/usage?group_by=slug&days=1&limit=1&offset=0")
    expect([page.total, page.series]).toEqual([0, {}])
    const lines = await fileOf("/api/admin/usage?group_by=slug&days=20")
    expect([lines.length, distinct(lines.map(({ slug }) => slug))]).toEqual([SPACES * 20, SPACES])
  })

  test.each([
    ["/api/admin/usage?group_by=slug", 365, ({ series }: Json) => Object.entries(series)],
    [`${ANALYTICS}/context-size?`, 90, ({ items }: Json) => items.map(({ slug, days }: Json) => [slug, days])],
  ])("A page of %s ends before it has too many days, and its pages are the whole list", async (path, days, entries) => {
    const asked = (query: string) => get(`${path}&days=${days}${query}`)
    const read: Json[] = []
    for (let offset: number | null = 0; offset !== null; ) {
      const page: Json = await asked(`&offset=${offset}`)
      const on = entries(page)
      const most = Math.floor(LIST_POLICY.days / days)
      expect([page.total, on.length]).toEqual([SPACES, Math.min(most, SPACES - offset)])
      expect(page.next_offset).toBe(offset + most < SPACES ? offset + most : null)
      read.push(...on)
      offset = page.next_offset
    }
    expect(read.map(([slug]) => slug)).toEqual(most())
    expect(distinct(read.map(([, all]) => all.length))).toBe(1)

    const used = await asked("&empty_days=false")
    expect(used.next_offset).toBeNull()
    expect(entries(used)).toEqual(read.map(([slug, all]) => [slug, all.filter((day: Json) => day.date === DAY)]))
    const lines = await fileOf(`${path}&days=${days}&empty_days=false`)
    expect([lines.length, distinct(lines.map(({ date }) => date))]).toEqual([SPACES, 1])
  })

  test("A chat lists every person who wrote there, by cost, after its members", async () => {
    const { items, space, ...head } = await get(`/api/admin/spaces/by-key/space:${slugs[0]}`)
    expect([space.slug, head]).toEqual([slugs[0], { total: PEOPLE + 2, limit: 10_000, offset: 0 }])
    expect(items).toHaveLength(PEOPLE + 2)
    expect(items[0]).toMatchObject({ role: "owner", name: "Owner" })
    const people = items
      .map(({ end_user_ref }: Json) => end_user_ref)
      .filter((ref: string) => ref?.startsWith("person-"))
    expect(people).toEqual(Array.from({ length: PEOPLE }, (_, n) => `person-${PEOPLE - n}`))
  })

  test("All pairs of a provider and a space are listed, and `other` is empty", async () => {
    const report = await get(`${ANALYTICS}/subscription-spaces`)
    expect([report.pairs, report.limit, report.items.length]).toEqual([SPACES, 10_000, SPACES])
    expect(report.items.map(({ slug }: Json) => slug)).toEqual(most())
    expect(report.other).toMatchObject({ turns: 0, billed_cost_usd: 0 })
    const page = await get(`${ANALYTICS}/subscription-spaces?limit=3&offset=1`)
    expect([page.pairs, page.items.map(({ slug }: Json) => slug)]).toEqual([SPACES, most().slice(1, 4)])
    expect(page.other.turns).toBe(SPACES - 3)
    expect(distinct((await fileOf(`${ANALYTICS}/subscription-spaces?limit=3`)).map(({ slug }) => slug))).toBe(SPACES)
  })

  test("The usage of each subscription is listed", async () => {
    const { items, ...head } = await get("/api/admin/subscriptions/usage")
    expect(head).toMatchObject({ total: SPACES, limit: 10_000, offset: 0, next_offset: null })
    expect(distinct(items.map(({ subscription_id }: Json) => subscription_id))).toBe(SPACES)
    const [second] = (await get("/api/admin/subscriptions/usage?limit=1&offset=1")).items
    expect(second).toEqual(items[1])
  })
})

test("The list of spaces is complete, and so is the inventory's CSV", async () => {
  const { items, ...head } = await get("/api/admin/spaces")
  expect(head).toEqual({ total: SPACES, limit: 10_000, offset: 0 })
  expect(distinct(items.map(({ slug }: Json) => slug))).toBe(SPACES)
  expect((await get("/api/admin/spaces/list")).items, "the contract's page size").toHaveLength(50)
  expect(distinct((await fileOf("/api/admin/spaces/list?sort=cost")).map(({ slug }) => slug))).toBe(SPACES)
})

test("All teams and all workspaces are listed by name", async () => {
  await world.sql(
    "insert into teams (name, created_at, updated_at) select 'Team ' || lpad(n::text, 4, '0'), now(), now() from generate_series(1, 205) n",
  )
  await world.sql(
    `insert into workspaces (workspace_id, name, created_at, updated_at)
     select 'workspace-' || n, 'Workspace ' || lpad(n::text, 4, '0'), now(), now() from generate_series(1, 205) n`,
  )
  for (const list of ["teams", "workspaces"]) {
    const { items, ...head } = await get(`/api/admin/${list}`)
    expect(head, list).toEqual({ total: 205, limit: 10_000, offset: 0 })
    const names = items.map(({ name }: Json) => name)
    expect([names.length, names], list).toEqual([205, [...names].sort()])
  }
})

test("A streamed answer is refused completely to users who are not admins", async () => {
  const client = await world.createAccount()
  const browser = await world.signIn(client.userId)
  for (const path of ["spaces/sessions", "usage?group_by=slug", "analytics/context-size", "teams"]) {
    expect(await browser.json("GET", `/api/admin/${path}`), path).toMatchObject([403, { code: "ADMIN_REQUIRED" }])
  }
})

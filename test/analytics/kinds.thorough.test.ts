import { afterEach, beforeEach, expect, test } from "vitest"
import { RELEASE } from "../../src/platform/procedures.ts"
import { createReportWorld, type Json, NO_USE, type ReportWorld } from "../harness/report-world.ts"
import { differences, differencesFromRaw } from "../harness/rollups.ts"

const USAGE = "/api/admin/usage"

let world: ReportWorld
beforeEach(async () => {
  world = await createReportWorld("2026-12-02T10:30:00Z")
})
afterEach(() => world.close())

test("Web chats are counted and not timed", async () => {
  const { user, space, chatKey } = await world.place()
  await world.plant(
    { user, space, chat: true, at: "2026-11-30T08:00:00Z", calls: [{ seconds: 9 }] },
    { user, space, chat: true, at: "2026-12-01T08:00:00Z", calls: [{ seconds: 9 }] },
    { user, space, at: "2026-12-01T09:00:00Z", calls: [{ seconds: 2 }, { seconds: 3 }] },
    { user, space, at: "2026-12-02T09:00:00Z", calls: [] },
  )
  for (const filter of ["", `&user_id=${user}`, `&chat_key=${chatKey}`]) {
    const items = await world.twice(`${USAGE}?days=3${filter}`)
    expect(
      items.map(({ model_calls, avg_duration_sec }: Json) => [model_calls, avg_duration_sec]),
      filter,
    ).toEqual([
      [1, null],
      [3, 2.5],
      [0, null],
    ])
  }
})

test("Accounts without bills have no ledger and are listed last", async () => {
  const [first, second, third] = [await world.place(), await world.place(), await world.place()]
  await world.plant(
    { ...first, at: "2026-12-01T08:00:00Z", lost: true, calls: [{ micros: 900 }] },
    { ...second, at: "2026-12-01T08:00:00Z", calls: [{ micros: 1 }] },
    // Not live.
    { ...third, at: "2026-12-01T08:00:00Z", test: true },
  )
  const { items } = await world.twice("top-users")
  expect(items.map(({ user_id, billed_cost_usd }: Json) => [user_id, billed_cost_usd])).toEqual([
    [second.user, 1e-7],
    [first.user, 0],
  ])
})

test("An unknown account, chat or space has no usage", async () => {
  const { user, space, slug, chatKey } = await world.place()
  await world.plant({ user, space, at: "2026-12-01T08:00:00Z" })
  const none = await world.read(`${USAGE}?days=2&user_id=999999`)
  expect(none).toEqual(
    ["2026-12-01", "2026-12-02"].map((date) => ({ date, ...NO_USE, avg_duration_sec: null, tokens_reasoning: 0 })),
  )
  expect(await world.read(`${USAGE}?days=2&chat_key=nowhere`)).toEqual(none)
  expect(await world.read(`${USAGE}?days=2&chat_key=${chatKey}&user_id=${world.admin.userId}`)).toEqual(none)
  expect(await world.read(`${USAGE}?days=2&group_by=slug&chat_key=nowhere`)).toMatchObject({
    chat_key: "nowhere",
    series: {},
    total: 0,
  })
  expect((await world.read("context-size?space=nowhere")).items).toEqual([])
  // A known subject without usage in the range is shown.
  const quiet = await world.read(`context-size?days=1&space=${slug}`)
  expect(quiet.items).toMatchObject([{ slug, model_calls: 0, avg_tokens_input: null, days: [{ date: "2026-12-02" }] }])
})

test("Calls count as pooled if the serving account is stored by name", async () => {
  const { user, space } = await world.place()
  const turn = { user, space, at: "2026-12-02T08:00:00Z" }
  await world.plant(
    {
      ...turn,
      calls: [
        { account: "17", input: 1000 },
        { account: null, input: 1000 },
      ],
    },
    {
      ...turn,
      calls: [
        { account: "claude-1", input: 300, cached: 100 },
        { account: "a17", input: 100, cached: 0 },
      ],
    },
    {
      ...turn,
      chat: true,
      calls: [
        { account: "claude-1", input: 200, cached: 200 },
        { account: "claude-1", subagent: true, input: 0 },
      ],
    },
  )
  const { items } = await world.twice("/api/admin/context-comparison?days=1")
  expect(items).toEqual([
    {
      date: "2026-12-02",
      orchestrator: {
        model_calls: 3,
        image_calls: 0,
        tokens_input: 600,
        tokens_cached: 300,
        avg_context_tokens: 200,
        cache_hit_rate: 0.5,
      },
      subagent: {
        model_calls: 1,
        image_calls: 0,
        tokens_input: 0,
        tokens_cached: 0,
        avg_context_tokens: 0,
        cache_hit_rate: null,
      },
    },
  ])
})

test("A turn whose first step made pictures is counted under its model call, wherever that is stored", async () => {
  const { user, space } = await world.place()
  const made = { model: "rehearsal/standard" }
  // Names that sort before and after the model's name, of another provider and of the same.
  const pictures = ["aaa/pixel", "rehearsal/aaa", "rehearsal/zzz", "zzz/pixel"].map((model, picture) => ({
    model,
    step: 0,
    picture,
    input: 0,
    output: 0,
  }))
  for (const chat of [false, true]) {
    for (const calls of [
      [{ ...made, step: 0 }, ...pictures],
      [...pictures, { ...made, step: 0 }],
      [...pictures.slice(2), { ...made, step: 1, subagent: true }, { ...made, step: 0 }, ...pictures.slice(0, 2)],
      ...pictures.map((picture) => [picture, { ...made, step: 0 }]),
    ]) {
      await world.plant({ user, space, chat, at: "2026-12-01T08:00:00Z", calls })
    }
  }
  const queued = await world.sql(
    "select model, role, sum(turns)::int as turns from usage_queue where turns > 0 group by 1, 2",
  )
  expect(queued).toEqual([{ model: made.model, role: "orchestrator", turns: 14 }])
  await world.twice("breakdown?dimension=model")
  expect(await differences(world)).toEqual([])
  expect(await differencesFromRaw(world, RELEASE)).toEqual([])
})

test("Failures are counted by kind, on the day on which they were recorded", async () => {
  const note = (kind: string, moment: string, count = 1) =>
    world.sql(
      `insert into infrastructure_errors (kind, name, code, created_at) select $1, 'x', 'X', $2 from generate_series(1, $3)`,
      [kind, moment, count],
    )
  await note("container_exec", "2026-11-30T23:59:59.999Z", 5)
  await note("container_exec", "2026-12-01T00:00:00Z", 2)
  await note("container_start", "2026-12-01T23:59:59.999Z", 3)
  await note("subagent_dispatch", "2026-12-02T00:00:00Z", 4)
  await note("model_call", "2026-12-02T10:00:00Z", 6)
  expect((await world.read("errors?days=2")).items).toEqual([
    { date: "2026-12-01", container_exec: 2, container_start: 3, subagent_dispatch: 0, total: 5, model_call: 0 },
    { date: "2026-12-02", container_exec: 0, container_start: 0, subagent_dispatch: 4, total: 4, model_call: 6 },
  ])
  expect((await world.read("errors?days=3")).items[0]).toMatchObject({ date: "2026-11-30", container_exec: 5 })
})

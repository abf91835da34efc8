import { afterEach, expect, test } from "vitest"
import { reportCosts } from "../../src/analytics/report-costs.ts"
import { reportErrors } from "../../src/analytics/report-errors.ts"
import { reportHourly } from "../../src/analytics/report-hourly.ts"
import { reportTopUsers } from "../../src/analytics/report-top-users.ts"
import { RELEASE } from "../../src/platform/procedures.ts"
import { ANALYTICS } from "../harness/analytics-world.ts"
import { authContextOf } from "../harness/auth.ts"
import { parseCsv } from "../harness/csv.ts"
import { countReports } from "../harness/report-reference.ts"
import { createReportWorld, type Json, NO_USE, type ReportWorld, usedRows } from "../harness/report-world.ts"

const HOUR_MS = 3_600_000
const USAGE = "/api/admin/usage"

let world: ReportWorld
afterEach(() => world.close())

const dates = (report: Json) => usedRows(report).map(({ date }: Json) => date)
const fault = async (path: string) => {
  const [status, { detail }] = await world.admin.json("GET", path)
  return [status, detail?.[0]?.loc]
}

test("An empty database has every day and hour, and null instead of a division by zero", async () => {
  world = await createReportWorld("2026-12-02T10:30:00Z")
  const range = { from: "2026-12-01T00:00:00.000Z", to: "2026-12-03T00:00:00.000Z", as_of: "2026-12-02T10:30:00.000Z" }
  const days = ["2026-12-01", "2026-12-02"]
  const empty = { ...NO_USE, avg_duration_sec: null, tokens_reasoning: 0 }
  const uncalled = { model_calls: 0, image_calls: 0 }
  const context = { ...uncalled, tokens_input: 0, tokens_cached: 0, avg_context_tokens: null, cache_hit_rate: null }
  expect(await world.read("/api/admin/context-comparison?days=2")).toEqual({
    ...range,
    granularity: "day",
    items: days.map((date) => ({ date, orchestrator: context, subagent: context })),
  })
  const usage = { ...range, granularity: "day", user_id: null, chat_key: null }
  expect(await world.read(`${USAGE}?days=2`)).toEqual(days.map((date) => ({ date, ...empty })))
  expect(await world.read(`${USAGE}?days=2&group_by=slug`)).toEqual({
    ...usage,
    grouped_by: "slug",
    series: {},
    total: 0,
    limit: 10_000,
    offset: 0,
    next_offset: null,
  })
  for (const name of ["top-users", "top-spaces"]) {
    expect(await world.read(`${name}?days=2`)).toEqual({
      ...range,
      granularity: null,
      limit: 20,
      items: [],
      other: NO_USE,
      total: NO_USE,
    })
  }
  const none = { container_exec: 0, container_start: 0, subagent_dispatch: 0, total: 0, model_call: 0 }
  expect(await world.read("errors?days=2")).toEqual({
    ...range,
    granularity: "day",
    items: days.map((date) => ({ date, ...none })),
  })
  expect(await world.read("context-size?days=2")).toEqual({
    ...range,
    granularity: "day",
    space: null,
    total: 0,
    limit: 10_000,
    offset: 0,
    next_offset: null,
    items: [],
  })
  const hourly = await world.read("hourly?days=2")
  expect(hourly).toMatchObject({ ...range, granularity: "hour" })
  expect(hourly.items).toHaveLength(48)
  expect([hourly.items[0], hourly.items[47]]).toEqual([
    { hour: "2026-12-01T00:00:00.000Z", ...NO_USE },
    { hour: "2026-12-02T23:00:00.000Z", ...NO_USE },
  ])
  const { series, other } = await world.read("hourly-spaces?start=2026-12-01T22:00:00Z&end=2026-12-02T00:00:00Z")
  const points = ["22", "23"].map((hour) => ({ hour: `2026-12-01T${hour}:00:00.000Z`, billed_cost_usd: 0 }))
  expect([series, other]).toEqual([[], { billed_cost_usd: 0, points }])
})

test("A row is counted only in the day and hour in which its turn ended", async () => {
  world = await createReportWorld("2026-12-02T10:30:00Z")
  const { user, space, slug } = await world.place()
  await world.plant({
    user,
    space,
    at: "2026-12-01T23:59:59.999Z",
    calls: [{ micros: 1, input: 7, output: 3, seconds: 0.25 }],
  })
  const used = { ...NO_USE, turns: 1, model_calls: 1, tokens_input: 7, tokens_output: 3 }
  const sums = { ...used, billed_cost_usd: 1e-7, net_usd: 1e-7 }
  expect(await world.twice(`${USAGE}?days=2`)).toEqual([
    { date: "2026-12-01", ...sums, avg_duration_sec: 0.25, tokens_reasoning: 0 },
    { date: "2026-12-02", ...NO_USE, avg_duration_sec: null, tokens_reasoning: 0 },
  ])
  expect(usedRows(await world.read("hourly?days=2"))).toEqual([{ hour: "2026-12-01T23:00:00.000Z", ...sums }])
  expect(usedRows(await world.read("hourly?days=1"))).toEqual([])
  expect((await world.read("top-users")).items).toEqual([{ user_id: user, name: "Somebody", email: null, ...sums }])
  const [, today] = (await world.read("context-size?days=2")).items[0].days
  expect(today).toEqual({
    date: "2026-12-02",
    model_calls: 0,
    image_calls: 0,
    avg_tokens_input: null,
    max_tokens_input: null,
  })
  const cut = (start: string, end: string) => world.read(`hourly-spaces?${new URLSearchParams({ start, end })}`)
  for (const [start, end, billed] of [
    ["2026-12-01T23:59:59.999Z", "2026-12-02T00:00:00Z", 1e-7],
    ["2026-12-01T23:00:00Z", "2026-12-01T23:59:59.999Z", 0],
    ["2026-12-02T00:00:00Z", "2026-12-02T01:00:00Z", 0],
    ["2026-12-01T20:30:00Z", "2026-12-02T04:15:00+00:00", 1e-7],
    ["2026-12-02T01:00:00+02:00", "2026-12-02T02:00:00+02:00", 1e-7],
  ] as const) {
    const { series, other } = await cut(start, end)
    expect(
      series.map(({ slug, billed_cost_usd }: Json) => [slug, billed_cost_usd]),
      start,
    ).toEqual(billed ? [[slug, billed]] : [])
    expect(other.billed_cost_usd).toBe(0)
  }
})

test("Hourly costs by space cover any range of up to 366 days, in JSON and as a file", async () => {
  world = await createReportWorld("2026-12-02T10:30:00Z")
  const places = [await world.place(), await world.place(), await world.place()]
  const at = (place: number, moment: string, micros: number) => {
    const { user, space } = places[place] as (typeof places)[number]
    return { user, space, at: moment, calls: [{ micros }] }
  }
  await world.plant(
    ...[at(0, "2024-01-01T00:00:00Z", 40), at(1, "2024-06-15T13:10:00Z", 20), at(2, "2024-12-31T23:59:59Z", 5)],
    ...[at(0, "2024-12-31T23:00:00Z", 2), at(0, "2025-01-01T00:00:00Z", 900)],
  )
  for (const days of ["end=2025-01-01T00:00:00Z", "end=2024-02-02T00:00:00Z"]) {
    const path = `hourly-spaces?start=2024-01-01T00:00:00Z&${days}&top=2`
    const [from, to] = [Date.parse("2024-01-01T00:00:00Z"), Date.parse(days.slice(4))]
    expect(await world.twice(path)).toEqual(
      (await countReports(world)).hourlySpaces(new Date(from).toISOString(), new Date(to).toISOString(), 2),
    )
    const file = parseCsv(await (await world.admin.call("GET", `${ANALYTICS}/${path}&format=csv`)).text())
    const spaces = days === "end=2025-01-01T00:00:00Z" ? 3 : 2
    expect(file.length - 1).toBe(((to - from) / 3_600_000) * spaces)
  }
})

test("Ranges end at midnight (UTC) on days, weeks, months and leap days", async () => {
  world = await createReportWorld("2028-03-01T00:00:00.000Z")
  const { user, space } = await world.place()
  await world.plant(
    // A Sunday, a Monday, the end of a month, a leap day, the start of a month.
    ...["2028-01-31T12:00:00Z", "2028-02-27T23:59:59.999Z", "2028-02-28T00:00:00Z", "2028-02-29T00:00:00Z"].map(
      (moment) => ({ user, space, at: moment }),
    ),
    ...["2028-02-29T23:59:59.999Z", "2028-03-01T00:00:00Z"].map((moment) => ({ user, space, at: moment })),
  )
  expect(dates(await world.twice(`${USAGE}?days=1`))).toEqual(["2028-03-01"])
  expect(dates(await world.twice(`${USAGE}?days=2`))).toEqual(["2028-02-29", "2028-03-01"])
  expect(dates(await world.twice(`${USAGE}?days=3`))).toEqual(["2028-02-28", "2028-02-29", "2028-03-01"])
  const all = await world.twice(`${USAGE}?days=31`)
  expect([all[0].date, all.at(-1).date, all.length]).toEqual(["2028-01-31", "2028-03-01", 31])
  expect(dates(all)).toEqual(["2028-01-31", "2028-02-27", "2028-02-28", "2028-02-29", "2028-03-01"])
  expect(usedRows(await world.read("hourly?days=2")).map(({ hour }: Json) => hour)).toEqual(
    ["02-29T00", "02-29T23", "03-01T00"].map((hour) => `2028-${hour}:00:00.000Z`),
  )
  const total = async (start: string, end: string) => {
    const { series, other } = await world.read(`hourly-spaces?start=${start}&end=${end}`)
    expect(series[0]?.points ?? other.points).toHaveLength((Date.parse(end) - Date.parse(start)) / HOUR_MS)
    return series[0]?.billed_cost_usd ?? 0
  }
  expect(await total("2028-02-29T00:00:00Z", "2028-03-01T00:00:00Z"), "a leap day").toBe(2e-5)
  expect(await total("2028-02-28T00:00:00Z", "2028-03-06T00:00:00Z"), "a week from Monday").toBe(4e-5)
  expect(await total("2028-02-01T00:00:00Z", "2028-03-01T00:00:00Z"), "a month").toBe(4e-5)
  expect(await total("2028-02-29T23:00:00Z", "2028-03-01T00:00:00Z"), "an hour").toBe(1e-5)
  const spaces = await world.twice("top-spaces?days=3")
  expect([spaces.from, spaces.items[0].turns]).toEqual(["2028-02-28T00:00:00.000Z", 4])
})

test("Whole days do not depend on the session's time zone", async () => {
  world = await createReportWorld("2026-12-02T10:30:00Z")
  const wholeDays = (zone: string, from: string) =>
    world.sql(
      `select w.from_day::text, w.to_day::text, extract(epoch from w.head_until)::float8 as head_until
       from (select set_config('TimeZone', $1, true) as zone offset 0) z,
         lateral ${RELEASE}.whole_days(case when z.zone = $1 then $2::timestamptz end, '2026-11-02T00:00:00Z') w`,
      [zone, from],
    )
  // Berlin's clocks go forward at 01:00 UTC on 29 March, and back on 25 October.
  for (const [from, day] of [
    ["2026-03-29T00:30:00Z", "2026-03-30"],
    ["2026-03-29T00:00:00Z", "2026-03-29"],
    ["2026-03-28T23:30:00Z", "2026-03-29"],
    ["2026-10-25T00:00:00Z", "2026-10-25"],
    ["2026-10-25T23:59:59.999Z", "2026-10-26"],
  ] as const) {
    const whole = [{ from_day: day, to_day: "2026-11-02", head_until: Date.parse(day) / 1000 }]
    for (const zone of ["UTC", "Europe/Berlin"]) expect(await wholeDays(zone, from), `${from} ${zone}`).toEqual(whole)
  }
})

test("A report names the moment just before it was read, which lies in its range", async () => {
  world = await createReportWorld("2026-12-02T23:59:59.999Z")
  const ctx = authContextOf(world)
  // Each reading of the clock takes time, so the second reading is on the next day.
  let looks = 0
  const clock = { ...ctx.clock, now: () => new Date(world.clock.ms() + looks++) }
  const credential = { kind: "session", token: world.admin.token, test: false } as const
  for (const report of [reportErrors, reportTopUsers, reportHourly, reportCosts]) {
    looks = 0
    const { as_of, to } = await report({ ...ctx, clock }, credential, { days: 1, limit: 1 })
    expect([as_of, to], report.name).toEqual(["2026-12-02T23:59:59.999Z", "2026-12-03T00:00:00.000Z"])
  }
})

test("Ranges that are reversed, too long, incomplete or malformed are refused", async () => {
  world = await createReportWorld("2026-12-02T10:30:00Z")
  const spaces = `${ANALYTICS}/hourly-spaces`
  const [day, next] = ["2026-12-01T00:00:00Z", "2026-12-02T00:00:00Z"]
  expect(await fault(`${spaces}?start=${next}&end=${day}`)).toEqual([422, ["query", "start"]])
  expect(await fault(`${spaces}?start=${day}&end=${day}`)).toEqual([422, ["query", "start"]])
  expect((await world.admin.json("GET", `${spaces}?start=2026-12-01&end=2026-12-02`))[0]).toBe(200)
  expect(await fault(`${spaces}?start=2024-01-01T00:00:00Z&end=2025-01-01T00:00:01Z`)).toEqual([
    422,
    ["query", "start"],
  ])
  expect(await fault(`${spaces}?end=${day}`)).toEqual([422, ["query", "start"]])
  expect(await fault(`${spaces}?start=${day}`)).toEqual([422, ["query", "end"]])
  for (const wrong of ["2026-13-01T00:00:00Z", "yesterday", "2027-02-29", "2026-12-01T00:00:00", "1764547200"]) {
    const [status, { detail }] = await world.admin.json("GET", `${spaces}?start=${wrong}&end=${next}`)
    expect([status, detail.map(({ loc }: Json) => loc)], `${wrong} has one error`).toEqual([422, [["query", "start"]]])
  }
  for (const top of ["0", "21", "1.5", "ten"]) {
    expect(await fault(`${spaces}?start=${day}&end=${next}&top=${top}`), top).toEqual([422, ["query", "top"]])
  }
  for (const top of [1, 20]) {
    expect(await world.read(`hourly-spaces?start=${day}&end=${next}&top=${top}`)).toMatchObject({ top })
  }
  expect(await fault(`${USAGE}?group_by=space`)).toEqual([422, ["query", "group_by"]])
  expect(await fault(`${USAGE}?start=${next}&end=${day}`)).toEqual([422, ["query", "start"]])
})

test("Ties are ordered by id, and rows beyond the top are summed as `other`", async () => {
  world = await createReportWorld("2026-12-02T10:30:00Z")
  const places: Awaited<ReturnType<ReportWorld["place"]>>[] = []
  for (let n = 0; n < 22; n++) places.push(await world.place(`Space ${n}`))
  // The last one comes first. The others are equal and were used in a different order than they were made.
  const moment = "2026-12-01T08:00:00Z"
  await world.plant(
    ...[...places]
      .reverse()
      .map(({ user, space }, n) => ({ user, space, at: moment, calls: [{ micros: n === 0 ? 21 : 20 }] })),
  )
  const inOrder = [places[21], ...places.slice(0, 21)] as typeof places
  for (const top of [1, 20]) {
    const users = await world.twice(`top-users?limit=${top}`)
    expect(users.items.map(({ user_id }: Json) => user_id)).toEqual(inOrder.slice(0, top).map(({ user }) => user))
    expect([users.other.turns, Math.round(users.other.billed_cost_usd * 1e7)]).toEqual([22 - top, 20 * (22 - top)])
    const spaces = await world.twice(`top-spaces?limit=${top}`)
    expect(spaces.items.map(({ slug }: Json) => slug)).toEqual(inOrder.slice(0, top).map(({ slug }) => slug))
    expect(spaces.other).toEqual(users.other)
    const hours = await world.twice(`hourly-spaces?start=${moment}&end=2026-12-01T09:00:00Z&top=${top}`)
    expect(hours.series.map(({ space_id }: Json) => space_id)).toEqual(inOrder.slice(0, top).map(({ space }) => space))
    expect(Math.round(hours.other.billed_cost_usd * 1e7)).toBe(20 * (22 - top))
  }
  expect((await world.read("top-users?limit=100")).other).toEqual(NO_USE)
})

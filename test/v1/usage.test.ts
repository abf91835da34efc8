import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { readJson } from "../harness/answers.ts"
import { parseCsv } from "../harness/csv.ts"
import { liveThroughAMonth } from "../harness/month.ts"
import { expectPromises } from "../harness/promises.ts"
import { expected, type Fact, factsOf, GROUPINGS, micros, sum, sumsOf } from "../harness/usage-facts.ts"
import type { TestClient } from "../harness/world.ts"

const TURNS = 140
interface Sums {
  billed_usd: number
  end_user_charge_usd?: number | null
  margin_usd?: number | null
  charged_turns_billed_usd?: number | null
  refunded_usd?: number
  net_usd?: number
  kind?: string
  turns: number
  model_calls: number
  tokens_input: number
  tokens_cached: number
  tokens_output: number
}
interface Report {
  from: string
  to: string
  data: (Sums & { group: string })[]
  total: Sums
  has_more: boolean
  next_cursor: string | null
}

let month: Awaited<ReturnType<typeof liveThroughAMonth>>
let facts: Fact[]
beforeAll(async () => {
  month = await liveThroughAMonth({ turns: TURNS, name: "usage" })
  console.log(`usage: seed ${month.random.seed}`)
  await expectPromises(month.world, month.account.userId)
  facts = await factsOf(month.world, month.account.userId)
})
afterAll(() => month.world.close())

/** Charges of end users have tests of their own (test/resale). */
const inMicros = <Row extends Sums>({
  billed_usd,
  end_user_charge_usd: _charge,
  margin_usd: _margin,
  charged_turns_billed_usd: _of,
  kind: _kind,
  refunded_usd: _refunded,
  net_usd: _net,
  ...rest
}: Row) => ({
  billed: micros(billed_usd),
  ...rest,
})

async function report(client: TestClient, query: string): Promise<Report> {
  const [status, body] = await readJson(client.call("GET", `/v1/usage?${query}`))
  expect(status, JSON.stringify(body)).toBe(200)
  return body as unknown as Report
}

async function csv(client: TestClient, query: string, headers: Record<string, string> = {}) {
  const response = await client.call("GET", `/v1/usage?${query}`, undefined, headers)
  expect(response.status).toBe(200)
  expect(response.headers.get("content-type")).toContain("text/csv")
  const [header, ...rows] = parseCsv(await response.text())
  expect(header?.slice(1)).toEqual([
    "billed_usd",
    "end_user_charge_usd",
    "margin_usd",
    "turns",
    "model_calls",
    "tokens_input",
    "tokens_cached",
    "tokens_output",
    "charged_turns_billed_usd",
    "kind",
    "refunded_usd",
    "net_usd",
  ])
  return {
    header,
    fields: rows.map(([group]) => group as string),
    rows: rows.map(([group = "", billed = "", _charge, _margin, ...rest]) => {
      expect(billed).toMatch(/^\d+\.\d{7}$/)
      const [turns, model_calls, tokens_input, tokens_cached, tokens_output] = rest.slice(0, -4).map(Number)
      // As the documentation says: removing these apostrophes restores the group's name.
      const plain = group.replace(/^'/, "").replace(/([;|\t\r\n]["\s]*)'/g, "$1")
      return { group: plain, billed: micros(billed), turns, model_calls, tokens_input, tokens_cached, tokens_output }
    }),
  }
}

const MONTHS = "from=2026-11-01&to=2027-03-01"

describe("A random month of turns", () => {
  test("The month has turns of every kind", () => {
    expect(new Set(facts.map(({ model }) => model)).size).toBeGreaterThanOrEqual(3)
    expect(new Set(facts.map(({ key }) => key)).size).toBe(3)
    expect(new Set(facts.map(({ day }) => day)).size).toBeGreaterThan(15)
    expect(new Set(facts.map(({ end_user_ref }) => end_user_ref)).size).toBeGreaterThan(12)
    expect(
      facts.some(({ ledger, calls }) => ledger === 0 && calls > 0),
      "calls that were not billed",
    ).toBe(true)
    expect(
      facts.some(({ calls }) => calls === 0),
      "turns without a call",
    ).toBe(true)
  })

  test.each(GROUPINGS)("Usage by %s, in JSON and CSV, adds up to the ledger to the micro", async (grouping) => {
    const [ledger] = await month.world.sql<{ spent: number }>(
      "select -sum(amount_credit_micros)::float8 as spent from ledger where user_id = $1 and reason = 'usage'",
      [month.account.userId],
    )
    expect(ledger?.spent).toBeGreaterThan(0)
    const wanted = expected(facts, grouping)
    const { data, total } = await report(month.all, `${MONTHS}&group_by=${grouping}&limit=100`)
    expect(data.map(inMicros)).toEqual(wanted)
    expect(sum(data, (row) => micros(row.billed_usd))).toBe(ledger?.spent)
    expect(micros(total.billed_usd)).toBe(ledger?.spent)
    const inTotal = grouping === "model" ? facts.filter(({ model }) => model !== null) : facts
    expect(inMicros(total)).toEqual(sumsOf(inTotal))

    const file = await csv(month.all, `${MONTHS}&group_by=${grouping}`, { accept: "text/csv" })
    expect(file.header?.[0]).toBe(grouping)
    expect(file.rows).toEqual(wanted)
    expect(sum(file.rows, (row) => row.billed)).toBe(ledger?.spent)
    for (const field of file.fields) expect(field, "no cell is a formula").not.toMatch(/^[=+\-@\t\r\n]/)
    expect((await csv(month.all, `${MONTHS}&group_by=${grouping}&format=csv&limit=1`)).rows).toEqual(wanted)
  })

  test("The pages cover all groups, each with the total of the whole list", async () => {
    for (const grouping of GROUPINGS) {
      const whole = await report(month.all, `${MONTHS}&group_by=${grouping}&limit=100`)
      const rows: unknown[] = []
      for (let cursor: string | null = ""; cursor !== null; ) {
        const query = `${MONTHS}&group_by=${grouping}&limit=3${cursor && `&cursor=${cursor}`}`
        const page: Report = await report(month.all, query)
        expect(page.total).toEqual(whole.total)
        expect(page.data.length).toBeLessThanOrEqual(3)
        rows.push(...page.data)
        cursor = page.next_cursor
      }
      expect(rows).toEqual(whole.data)
    }
  })

  test("A narrower key sees its spaces' costs by any key, and a test key sees test turns at no cost", async () => {
    const within: [TestClient, string][] = [
      [month.created, month.spaces[1] as string],
      [month.one, month.spaces[2] as string],
    ]
    for (const [client, space] of within) {
      const own = facts.filter((fact) => fact.space === space)
      expect(new Set(own.map(({ key }) => key)).size).toBe(2)
      for (const grouping of GROUPINGS) {
        const { data } = await report(client, `${MONTHS}&group_by=${grouping}&limit=100`)
        expect(data.map(inMicros)).toEqual(expected(own, grouping))
        expect((await csv(client, `${MONTHS}&group_by=${grouping}&format=csv`)).rows).toEqual(expected(own, grouping))
      }
      expect((await report(client, `${MONTHS}&space=${month.spaces[0]}`)).data).toEqual([])
    }
    for (const grouping of GROUPINGS) {
      const { data, total } = await report(month.test, `${MONTHS}&group_by=${grouping}&limit=100`)
      expect(total.billed_usd).toBe(0)
      expect(total.model_calls).toBeGreaterThan(0)
      if (grouping === "space") expect(data.map(({ group }) => group)).toEqual([month.testSpace])
    }
  })

  test("Filters, single and repeated, and ranges with arbitrary bounds add up", async () => {
    const { random } = month
    const pick = <Value>(of: (fact: Fact) => Value) => of(random.pick(facts.filter(({ model }) => model !== null)))
    for (let round = 0; round < 25; round++) {
      const refs = [pick((fact) => fact.end_user_ref), pick((fact) => fact.end_user_ref)]
      const filters: [string, string[], (fact: Fact) => string | null][] = [
        ["end_user_ref", refs, (fact) => fact.end_user_ref],
        ["space", [pick((fact) => fact.space)], (fact) => fact.space],
        ["key", [pick((fact) => fact.key), pick((fact) => fact.key)], (fact) => fact.key],
        ["model", [pick((fact) => fact.model as string)], (fact) => fact.model],
      ]
      const [name, values, of] = random.pick(filters)
      // The exact end of a turn: inclusive at the start of a range, exclusive at its end.
      const [from = "", to = ""] = [pick((fact) => fact.ended_at), pick((fact) => fact.ended_at)].sort()
      if (from === to) continue
      const grouping = random.pick(GROUPINGS)
      const chosen = facts.filter(
        (fact) => values.includes(of(fact) ?? "") && fact.ended_at >= from && fact.ended_at < to,
      )
      const given = new URLSearchParams({ from, to, group_by: grouping, limit: "100" })
      for (const value of values) given.append(name, value)
      const { data } = await report(month.all, given.toString())
      expect(data.map(inMicros), given.toString()).toEqual(expected(chosen, grouping))
    }
  })

  test("A turn that started before midnight counts on the day of its bill", async () => {
    const midnight = facts.filter(({ end_user_ref }) => end_user_ref === "midnight")
    const days = [...new Set(midnight.map(({ day }) => day))]
    expect(days).toHaveLength(2)
    const calls = await month.world.sql<{ day: string }>(
      "select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as day from usage where end_user_ref = 'midnight'",
    )
    expect(
      calls.some(({ day }) => !days.includes(day)),
      "some calls were made the day before",
    ).toBe(true)
    for (const grouping of ["day", "model"] as const) {
      for (const day of days) {
        const next = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)
        const { total } = await report(month.all, `from=${day}&to=${next}&end_user_ref=midnight&group_by=${grouping}`)
        expect(micros(total.billed_usd)).toBe(
          sum(
            midnight.filter((fact) => fact.day === day),
            (fact) => fact.billed,
          ),
        )
      }
    }
  })

  test("The default range is the last 30 days in UTC, including today", async () => {
    const { from, to, total } = await report(month.all, "")
    const today = Math.floor(month.world.clock.ms() / 86_400_000)
    expect([Date.parse(from), Date.parse(to)]).toEqual([(today - 29) * 86_400_000, (today + 1) * 86_400_000])
    expect(micros(total.billed_usd)).toBe(
      sum(
        facts.filter(({ day }) => day >= from.slice(0, 10)),
        (fact) => fact.billed,
      ),
    )
  })

  test("A wrong query is refused", async () => {
    const first = await report(month.all, "group_by=end_user_ref&limit=1")
    const cursor = first.next_cursor as string
    for (const query of [
      "group_by=colour",
      "from=yesterday",
      "from=2026-13-01",
      "from=2026-11-02&to=2026-11-02",
      "from=2026-11-02&to=2026-11-01",
      "end_user_ref=",
      "limit=0",
      "color=red",
      "group_by=space&limit=1&cursor=x",
      `group_by=space&limit=1&cursor=${cursor}`,
      `group_by=end_user_ref&limit=1&cursor=A${cursor}`,
      `group_by=end_user_ref&limit=1&cursor=${cursor.slice(0, 8)}A${cursor.slice(9)}`,
      `group_by=end_user_ref&format=csv&cursor=${cursor}`,
    ]) {
      const [status, body] = await readJson(month.all.call("GET", `/v1/usage?${query}`))
      expect([status, (body as { error?: { code: string } }).error?.code], query).toEqual([422, "VALIDATION_FAILED"])
    }
  })
})

test("The list at GET /v1/models has the usable models in the catalog's order", async () => {
  await month.world.sql(
    `insert into model_catalog (pin, engine, model, label, enabled, sort_order, price_input, price_cached, price_output)
     values ('openai/off', 'openai', 'off', 'Off', false, 0, 1, 1, 1), ('openai/first', 'openai', 'first', 'First', true, 1, 12500000, 1250000, 100000000)`,
  )
  const [, page] = await readJson(month.all.call("GET", "/v1/models"))
  const models = page.data as { pin: string }[]
  expect(models.map(({ pin }) => pin)).toEqual([
    "openai/first",
    "rehearsal/standard",
    "rehearsal/cheap",
    "rehearsal/odd",
  ])
  expect(models[0]).toEqual({
    pin: "openai/first",
    label: "First",
    engine: "openai",
    price_usd_per_million_tokens: {
      input: 1.25,
      cached: 0.125,
      cache_write: 1.25,
      cache_write_hour: 1.25,
      audio_input: 1.25,
      output: 10,
      reasoning: 10,
    },
    price_usd_per_web_search: null,
    price_usd_per_x_search: null,
    price_usd_per_code_execution: null,
    price_tiers: [],
    price_modifiers: {},
    max_output_tokens: 4096,
  })
  const [, seen] = await readJson(month.test.call("GET", "/v1/models"))
  expect((seen.data as { pin: string }[]).map(({ pin }) => pin)).toEqual(models.slice(1).map(({ pin }) => pin))
})

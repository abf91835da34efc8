import { afterAll, beforeAll, expect, test } from "vitest"
import { readJson } from "../harness/answers.ts"
import { parseCsv } from "../harness/csv.ts"
import { liveThroughAMonth } from "../harness/month.ts"

type Group = Record<"billed_usd" | "turns" | "tokens_output", number> & { group: string }

let month: Awaited<ReturnType<typeof liveThroughAMonth>>
beforeAll(async () => {
  month = await liveThroughAMonth({ turns: 60, name: "usage in order" })
  console.log(`usage in order: seed ${month.random.seed}`)
})
afterAll(() => month.world.close())

const RANGE = "from=2020-01-01&to=2100-01-01"

async function page(query: string): Promise<{ data: Group[]; next_cursor: string | null }> {
  const [status, body] = await readJson(month.all.call("GET", `/v1/usage?${RANGE}&${query}`))
  expect(status, JSON.stringify(body)).toBe(200)
  return body as never
}

const groupsOf = (groups: Group[]) => groups.map(({ group }) => group)
const bytes = (a: Group, b: Group) => Buffer.compare(Buffer.from(a.group), Buffer.from(b.group))

test("A report is sorted by a sum in both directions, in pages and as CSV, and equal sums are in the order of the groups", async () => {
  const sums = { billed: "billed_usd", turns: "turns", tokens_output: "tokens_output" } as const
  for (const [sort, name] of Object.entries(sums)) {
    for (const grouping of ["end_user_ref", "day"]) {
      const { data } = await page(`group_by=${grouping}&limit=100`)
      expect(data.length).toBeGreaterThan(8)
      for (const direction of ["desc", "asc"]) {
        const sign = direction === "asc" ? 1 : -1
        const wanted = groupsOf([...data].sort((a, b) => sign * (a[name] - b[name]) || bytes(a, b)))
        const query = `group_by=${grouping}&sort=${sort}${direction === "asc" ? "&direction=asc" : ""}`
        const found: string[] = []
        for (let cursor: string | null = ""; cursor !== null; ) {
          const next = await page(`${query}&limit=4${cursor && `&cursor=${cursor}`}`)
          found.push(...groupsOf(next.data))
          cursor = next.next_cursor
        }
        expect(found, query).toEqual(wanted)
        const file = await (await month.all.call("GET", `/v1/usage?${RANGE}&${query}&format=csv`)).text()
        expect(
          parseCsv(file)
            .slice(1)
            // An apostrophe keeps a spreadsheet from reading a part of a group as a formula.
            .map(([group]) => group?.replace(/^'/, "").replace(/([;|\t\r\n]["\s]*)'/g, "$1")),
        ).toEqual(wanted)
      }
    }
  }
  const days = await page("group_by=day&limit=100&direction=desc")
  expect(groupsOf(days.data)).toEqual(groupsOf((await page("group_by=day&limit=100&sort=group")).data).reverse())
})

test("A report by hour of the day adds up the same hours of all days", async () => {
  const wanted = await month.world.sql(
    `select to_char(finished_at at time zone 'UTC', 'HH24') as "group", count(*)::int as turns from turns
      where user_id = $1 and key_id is not null and not test and finished_at is not null group by 1 order by 1`,
    [month.account.userId],
  )
  const { data } = await page("group_by=hour&limit=100")
  expect(data.map(({ group, turns }) => ({ group, turns })).filter(({ turns }) => turns > 0)).toEqual(wanted)
  const billed = (groups: Group[]) => Math.round(groups.reduce((sum, { billed_usd }) => sum + billed_usd, 0) * 1e7)
  expect(billed(data)).toBe(billed((await page("group_by=day&limit=100")).data))
})

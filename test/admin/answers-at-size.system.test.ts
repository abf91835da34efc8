import { resolve } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createLargeSite, type DefaultAnswer, readDefaultAnswers } from "../../bench/measure-answers.ts"
import { FILLING } from "../../bench/measure-books.ts"
import { readVersion } from "../../bench/version.ts"
import { type BenchWorld, createBenchWorld } from "../../bench/world.ts"
import { LIST_POLICY } from "../../src/base/policies.ts"

// 10,000 spaces, 100,000 users and the turns of a year. `npm run bench -- --only answers` measures the CPU of the same
// answers.

const MINUTE = 60_000
/** The largest answer, a page of 50,000 days, has 10.5 MB. */
const MOST_BYTES = 11_000_000

let world: BenchWorld
let answers: DefaultAnswer[]
beforeAll(async () => {
  const version = await readVersion("own", resolve("."))
  world = await createBenchWorld({ version, runtime: "workerd", durable: false, settings: FILLING })
  answers = await readDefaultAnswers(await createLargeSite(world), 1)
}, 15 * MINUTE)
afterAll(() => world.close())

/** Operations without an answer here: they need a monitor's token, a login that has begun, or a condition. */
const OTHERS: Record<string, number> = {
  "/api/health": 404,
  "/api/account/identities/link": 403,
  "/v1/watch": 422,
}

test("Every list of every worker answers at size, and no default answer has too many bytes or entries", () => {
  const groups = new Set(answers.map(({ group }) => group))
  expect([...groups]).toEqual(["admin", "account", "v1"])
  for (const { path, status, bytes, entries } of answers) {
    if (!path.includes("{")) expect(status, path).toBe(OTHERS[path] ?? 200)
    expect(bytes, path).toBeLessThan(MOST_BYTES)
    expect(entries, path).toBeLessThanOrEqual(LIST_POLICY.page)
  }
})

test("A page of a list whose entries have days ends before it has too many days", () => {
  const dated = answers.filter(({ path }) => /group_by=slug|context-size|subscriptions\/usage/.test(path))
  for (const { path, rows, entries } of dated) {
    // The lists of days, and the list of entries.
    expect(rows, path).toBeLessThanOrEqual(LIST_POLICY.days + entries)
  }
  const full = dated.filter(({ rows }) => rows > LIST_POLICY.days - 365)
  expect(full.map(({ path }) => path)).toEqual(
    expect.arrayContaining(["/api/admin/usage?group_by=slug&days=365", "/api/admin/analytics/context-size?days=90"]),
  )
})

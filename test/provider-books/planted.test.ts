import { afterAll, beforeAll, expect, test } from "vitest"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { addModel } from "../harness/models.ts"
import { type OwnCall, storeCalls } from "../harness/own-calls.ts"
import { addAccount } from "../harness/provider-accounts.ts"
import { type CountedAccount, type CountedCall, REPORTS_URL, serveReports } from "../harness/provider-reports.ts"
import { createRandom, type Random } from "../harness/random.ts"
import { createWorld, type World } from "../harness/world.ts"

/** Random days of three providers, with planted differences: each is found with its amount, and nothing else is. */

let world: World
let admin: Admin
let reports: ReturnType<typeof serveReports>
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
  reports = serveReports(world)
  for (const engine of ENGINES) for (const model of MODELS) await addModel(world, `${engine}/${model}`)
})
afterAll(() => world.close())

const FORMATS = ["anthropic", "openai", "openrouter"] as const
type Format = (typeof FORMATS)[number]
const ENGINE: Record<Format, string> = {
  anthropic: "anthropic",
  openai: "openai",
  openrouter: "openai-compatible",
}
const ENGINES = Object.values(ENGINE)
const MODELS = ["alpha-1", "beta-2", "gamma-3", "delta-4", "epsilon-5", "zeta-6"] as const
/** The version that a provider names for a model. */
const DATED: Record<Format, string> = { anthropic: "-20250929", openai: "-2025-08-07", openrouter: "" }

interface Day {
  random: Random
  format: Format
  starts: number
  own: OwnCall[]
  account: CountedAccount
}

interface Found {
  kind: string
  model: string
  difference_usd: number | null
}

/** Changes the books of one model, and returns the findings that it must make. */
type Plant = (day: Day, model: string) => Found[]

const theirs = ({ account, format }: Day, model: string) =>
  account.calls.filter((call) => call.model === model + DATED[format])
const difference = (calls: { micros: number }[]) => calls.reduce((sum, { micros }) => sum + micros, 0) / 1e7
const without = <T>(list: T[], gone: T) => list.splice(list.indexOf(gone), 1)

const PLANTS: Record<string, Plant> = {
  nothing: () => [],
  "a call that we lack": (day, model) => {
    const gone = day.random.pick(day.own.filter((call) => call.model === model))
    without(day.own, gone)
    const kind = day.format === "anthropic" ? "provider_more" : "unknown_calls"
    return [{ kind, model, difference_usd: difference([gone]) }]
  },
  "a call that the provider lacks": (day, model) => {
    const gone = day.random.pick(theirs(day, model))
    without(day.account.calls, gone)
    return [{ kind: "provider_less", model, difference_usd: -difference([gone]) }]
  },
  "a dearer price": (day, model) => {
    const calls = theirs(day, model)
    const before = difference(calls)
    for (const call of calls) call.micros = Math.round(call.micros * 1.4)
    return [{ kind: "provider_more", model, difference_usd: difference(calls) - before }]
  },
  "tokens that we did not read": (day, model) => {
    const call = day.random.pick(day.own.filter((own) => own.model === model))
    call.output -= 1
    return [{ kind: "provider_more", model, difference_usd: null }]
  },
  "a model of other software": (day, model) => {
    for (const call of day.own.filter((own) => own.model === model)) without(day.own, call)
    return [{ kind: "unknown_calls", model, difference_usd: difference(theirs(day, model)) }]
  },
  "a credit": (day, model) => {
    const day_ = new Date(day.starts).toISOString().slice(0, 10)
    if (day.format !== "openrouter") day.account.lines.push({ day: day_, text: `${model} credit`, micros: -900_000 })
    return []
  },
}

const HOUR = 3_600_000
let accounts = 0

/** A day with calls of all models that both sides have counted alike, and some at its ends. */
function randomDay(random: Random, format: Format): Day {
  const starts = Date.UTC(2026, 0, 1 + random.int(20))
  const own: OwnCall[] = []
  const account: CountedAccount = { calls: [], lines: [] }
  for (const model of MODELS) {
    for (let n = 3 + random.int(12); n > 0; n--) addCall({ random, format, starts, own, account }, model)
  }
  return { random, format, starts, own, account }
}

function addCall(
  { random, format, starts, own, account }: Day,
  model: string,
  moment?: { ends: number; counted: number },
) {
  const cached = random.int(500)
  const written = random.int(300)
  const micros = 20_000 + random.int(500_000)
  const ends = moment?.ends ?? starts + HOUR + random.int(22 * HOUR)
  const id = `${format}-${accounts}-${own.length}-${ends}`
  const counts = {
    id,
    input: cached + written + 1 + random.int(5_000),
    cached,
    written,
    output: 2 + random.int(900),
    micros,
  }
  own.push({ ...counts, model, at: new Date(ends), seconds: moment ? 90 : random.int(60), billed: micros })
  const counted: CountedCall = { ...counts, model: model + DATED[format], at: new Date(moment?.counted ?? ends) }
  account.calls.push(counted)
}

/** Calls that run across an end of the day: their provider counts them by their start or by their end. */
function addAcross(day: Day, model: string) {
  for (const midnight of [day.starts, day.starts + 24 * HOUR]) {
    for (let n = day.random.int(3); n > 0; n--) {
      const ends = midnight + day.random.int(60_000)
      addCall(day, model, { ends, counted: day.random.pick([ends, midnight - 1, ends - 90_000]) })
    }
  }
}

async function compare(day: Day, shared = false) {
  const id = `books-${++accounts}`
  reports.accounts.set(`key-of-${id}`, day.account)
  await addAccount(world, id, { engine: ENGINE[day.format] })
  await storeCalls(world, id, ENGINE[day.format], day.own)
  const body = { format: day.format, api_key: `key-of-${id}`, base_url: REPORTS_URL, shared }
  expect((await admin.json("PUT", `/api/admin/providers/${id}/report`, body))[0]).toBe(200)
  const date = new Date(day.starts).toISOString().slice(0, 10)
  const [status, book] = await admin.json("POST", `/api/admin/provider-books/${id}/${date}/compare`)
  expect(status, JSON.stringify(book)).toBe(200)
  return { book, path: `/api/admin/provider-books/${id}/${date}` }
}

interface ShownFinding extends Found {
  response_id: string | null
}

const foundIn = (book: { findings: ShownFinding[] }) =>
  book.findings
    .filter(({ response_id }) => response_id === null)
    .map(({ kind, model, difference_usd }) => ({ kind, model, difference_usd }))

test.each(FORMATS)("Every planted difference of %s is found with its amount, and nothing else", async (format) => {
  for (let seed = 1; seed <= 25; seed++) {
    const random = createRandom(`planted ${format}`, seed)
    const day = randomDay(random, format)
    const expected: Found[] = []
    for (const model of MODELS.slice(0, 5))
      expected.push(...(PLANTS[random.pick(Object.keys(PLANTS))] as Plant)(day, model))
    addAcross(day, MODELS[5])
    const { book } = await compare(day)
    const close = ({ difference_usd, ...found }: Found) => ({
      ...found,
      difference_usd: difference_usd === null ? null : expect.closeTo(difference_usd, 5),
    })
    const sorted = expected.sort((a, b) => (a.model < b.model ? -1 : 1))
    expect(foundIn(book), `seed ${seed}`).toEqual(sorted.map(close))
    expect(book.provider_usd, `seed ${seed}`).toBeCloseTo(reportedOn(day), 5)
    expect(book.margin_usd).toBeCloseTo(book.billed_usd - book.provider_usd, 6)
  }
})

/** The provider's amount of the day, less its credits. */
function reportedOn({ account, starts }: Day): number {
  const isOn = (at: Date) => at.getTime() >= starts && at.getTime() < starts + 24 * HOUR
  return difference([...account.calls.filter(({ at }) => isOn(at)), ...account.lines])
}

test.each(FORMATS)("Days of %s without a difference have no finding", async (format) => {
  for (let seed = 100; seed < 115; seed++) {
    const day = randomDay(createRandom(`equal ${format}`, seed), format)
    for (const model of MODELS) addAcross(day, model)
    const { book } = await compare(day)
    expect(book.findings, `seed ${seed}`).toEqual([])
  }
})

test("Other software in a shared account is told as its use, and a call that the provider lacks stays a finding", async () => {
  const day = randomDay(createRandom("shared", 7), "openai")
  const [foreign] = (PLANTS["a model of other software"] as Plant)(day, "alpha-1")
  const expected = (PLANTS["a call that the provider lacks"] as Plant)(day, "beta-2")
  const { book } = await compare(day, true)
  expect(foundIn(book)).toEqual(
    expected.map((found) => ({ ...found, difference_usd: expect.closeTo(found.difference_usd ?? 0, 5) })),
  )
  expect(book.foreign_usd).toBeCloseTo(foreign?.difference_usd ?? 0, 5)
})

test("A single call of OpenRouter that was billed dearer is found by the id of its answer", async () => {
  const day = randomDay(createRandom("single", 8), "openrouter")
  const [call] = theirs(day, "alpha-1") as [CountedCall]
  call.micros += 700_000
  const { book } = await compare(day)
  expect(book.findings).toMatchObject([
    { kind: "provider_more", model: "alpha-1", response_id: null, difference_usd: 0.07 },
    { kind: "provider_more", model: "alpha-1", response_id: call.id, turn_id: `turn_${call.id}`, difference_usd: 0.07 },
  ])
})

test("Calls whose answer was lost explain as much as they can have used", async () => {
  const day = randomDay(createRandom("lost", 9), "openai")
  const [largest] = theirs(day, "alpha-1").toSorted((a, b) => b.micros - a.micros) as [CountedCall]
  day.account.calls.push({ ...largest, id: "lost", input: 1, cached: 0, output: 1 })
  const id = `books-${accounts + 1}`
  await world.sql(
    "insert into infrastructure_errors (kind, name, code, created_at) values ('model_call', $1, 'unavailable', $2)",
    [id, new Date(day.starts + HOUR)],
  )
  const { book } = await compare(day)
  expect(book.findings).toEqual([])
  expect(book).toMatchObject({ lost_calls: 1, explained_usd: expect.closeTo(difference([largest]), 5) })
  const other = randomDay(createRandom("lost", 9), "openai")
  other.account.calls.push({ ...largest, id: "unknown" })
  expect((await compare(other)).book.findings).toMatchObject([{ kind: "unknown_calls", calls: 1 }])
})

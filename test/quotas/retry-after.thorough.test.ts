import { afterAll, beforeAll, expect, test } from "vitest"
import { createQuotaEstate, type Limits, type QuotaEstate, sendWish, type Wish } from "../harness/quota-load.ts"
import { createRandom, type Random } from "../harness/random.ts"
import { createWorld, type World } from "../harness/world.ts"

// A failure names its seed.
const CASES = 300

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const DAY = 86_400_000
const dayOf = (ms: number) => Math.floor(ms / DAY) * DAY
function nextMonthOf(ms: number): number {
  const at = new Date(ms)
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1)
}

/** Days whose ends often break calendar arithmetic. */
const ENDS = [
  ["an ordinary day", Date.UTC(2026, 10, 25)],
  ["a month of 30 days", Date.UTC(2027, 4, 1)],
  ["a month of 31 days", Date.UTC(2027, 1, 1)],
  ["a February of 28 days", Date.UTC(2027, 2, 1)],
  ["the day before a leap day", Date.UTC(2028, 1, 29)],
  ["a leap day", Date.UTC(2028, 2, 1)],
  ["a February without a leap day in a century", Date.UTC(2100, 2, 1)],
  ["the last leap day before it", Date.UTC(2096, 2, 1)],
  ["a year", Date.UTC(2027, 0, 1)],
  ["a leap year", Date.UTC(2029, 0, 1)],
  ["a night in which clocks are put forward somewhere", Date.UTC(2027, 2, 28)],
  ["a night in which they are put back", Date.UTC(2027, 9, 31)],
] as const

const CAPS = ["key_daily", "key_monthly", "key_window", "end_user_daily", "end_user_monthly"] as const
type Cap = (typeof CAPS)[number]

interface Case {
  caps: Cap[]
  limits: Limits
  /** The time of the turn that uses all of the cap, and the time of the client's request on the same day. */
  fillsAt: number
  asksAt: number
  /** The end of the first turn: billed before the period ends, never, or after it. */
  ends: "before" | "never" | "after"
}

function anyCase(random: Random, caps: Cap[], end: number): Case {
  const before = random.pick([
    1,
    1,
    2,
    500,
    999,
    1000,
    1001,
    1999,
    60_000,
    DAY,
    1 + random.int(DAY),
    1 + random.int(DAY),
  ])
  const asksAt = end - before
  const window_seconds = random.pick([60, 61, 3600, 86_400, 31 * 86_400, 60 + random.int(31 * 86_400 - 60)])
  const most = Math.min(asksAt - dayOf(asksAt), window_seconds * 1000 - 1)
  const level = () => ({ [random.pick(["own", "key", "account"])]: 20_000 + random.int(2_000_000) })
  const limits: Limits = {
    ...(caps.includes("key_daily") && { key_daily: 20_000 + random.int(2_000_000) }),
    ...(caps.includes("key_monthly") && { key_monthly: 20_000 + random.int(2_000_000) }),
    ...(caps.includes("key_window") && { key_window: 20_000 + random.int(2_000_000), window_seconds }),
    ...(caps.includes("end_user_daily") && { end_user_daily: level() }),
    ...(caps.includes("end_user_monthly") && { end_user_monthly: level() }),
  }
  const fillsAt = asksAt - random.pick([0, random.int(most + 1), random.int(most + 1), most])
  return { caps, limits, fillsAt, asksAt, ends: random.pick(["before", "never", "after"]) }
}

/** The end of the period in which the first turn was accepted, for this cap. */
function resetOf(cap: Cap, { fillsAt, limits }: Case): number {
  if (cap === "key_window") return fillsAt + (limits.window_seconds ?? 0) * 1000
  return cap === "end_user_monthly" || cap === "key_monthly" ? nextMonthOf(fillsAt) : dayOf(fillsAt) + DAY
}

function limitOf(cap: Cap, { limits }: Case): number {
  const limit = limits[cap]
  return typeof limit === "number" ? limit : Math.min(...Object.values(limit ?? {}))
}

const goTo = (ms: number) => world.advance(ms - world.clock.ms())

test(`A client that waits exactly Retry-After succeeds, and one second less is refused: ${CASES} cases`, async () => {
  const { seed } = createRandom("retry-after")
  let refusals = 0
  for (let n = 0; n < CASES; n++) {
    const random = createRandom("", (seed + n) >>> 0)
    const [name, end] =
      n % 4 === 3 ? ["any day", dayOf(world.clock.ms() + random.int(70 * 365) * DAY)] : random.pick(ENDS)
    const several = CAPS.filter(() => random.int(2) === 0)
    const caps = n % 5 === 4 && several.length > 1 ? several : [random.pick(CAPS)]
    const one = anyCase(random, caps, end)
    try {
      refusals += await playCase(one)
    } catch (error) {
      const what = `${JSON.stringify(one)} asks at ${new Date(one.asksAt).toISOString()}`
      throw new Error(`seed ${(seed + n) >>> 0}, ${name}, ${what}: ${(error as Error).message}`, { cause: error })
    }
  }
  console.log(`${CASES} cases from seed ${seed}, ${refusals} refusals`)
})

/** Plays one case. Returns the number of refusals. */
async function playCase(one: Case): Promise<number> {
  await goTo(one.fillsAt)
  const estate = await createQuotaEstate(world, one.limits, 1)
  const least = Math.min(...one.caps.map((cap) => limitOf(cap, one)))
  // As much as the tightest cap has, so that other caps with the same rest are reached too.
  const first = await sendWish(estate, wish(estate))
  expect(Math.round((first.turn?.held_usd ?? 0) * 1e7)).toBe(least)
  if (one.ends === "before") await world.drain()
  await goTo(one.asksAt)

  const met = one.caps.filter((cap) => limitOf(cap, one) - least < NEEDED)
  const reset = Math.max(...met.map((cap) => resetOf(cap, one)))
  const wait = Math.max(1, Math.ceil((reset - one.asksAt) / 1000))
  let refused = await expectRefused(estate, wait, reset)
  if (wait > 1) {
    await goTo(one.asksAt + (wait - 1) * 1000)
    refused += await expectRefused(estate, 1, reset)
  }
  await goTo(one.asksAt + wait * 1000)
  if (one.ends === "after") await world.drain()
  const last = await sendWish(estate, wish(estate))
  expect(last.turn, JSON.stringify(last.refusal)).not.toBeNull()
  await world.settled()
  await world.qstash.reset()
  return refused
}

async function expectRefused(estate: QuotaEstate, wait: number, reset: number): Promise<number> {
  const { refusal } = await sendWish(estate, wish(estate))
  expect(refusal).toMatchObject({ status: 429, code: "QUOTA_EXCEEDED", retryAfter: wait })
  expect(refusal?.details.resets_at).toBe(new Date(reset).toISOString())
  return 1
}

/** A turn that uses its whole hold. */
function wish({ clients, refs }: QuotaEstate): Wish {
  const text = "[use input=1000000]"
  const body = { space: clients[0]?.space ?? "", end_user_ref: refs[0] ?? "", text, conversation: crypto.randomUUID() }
  return { of: 0, idempotencyKey: crypto.randomUUID(), body, cancelled: false }
}

/** The least cost of its first model call: 80 tokens and its 19 bytes in, 16 out. */
const NEEDED = (80 + 19) * 10 + 16 * 50

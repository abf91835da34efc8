import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { signInMessenger } from "../../src/sign-in/sign-in-messenger.ts"
import { authContextOf } from "../harness/auth.ts"
import { browserAt, chatWith, createBot, launchOf, type TestBot, usersOf } from "../harness/messenger.ts"
import { expectBooks } from "../harness/promises.ts"
import { createWorld, type World } from "../harness/world.ts"

const CREDIT = 2_500_000
const DAY_MS = 24 * 3_600_000

let world: World
let bot: TestBot
beforeAll(async () => {
  world = await createWorld()
  bot = await createBot(world, "acme")
})
afterAll(() => world.close())

let people = 20_000

async function signIn(id: number, ref_code?: string, at = bot): Promise<number> {
  const body = { init_data: launchOf(world, at, id), ...(ref_code !== undefined && { ref_code }) }
  const [status, user] = await browserAt(world, at.host).json("POST", "/api/auth/messenger-webapp", body)
  expect(status, JSON.stringify(user)).toBe(200)
  return user.user_id
}

async function codeOf(userId: number): Promise<string> {
  const [row] = await world.sql<{ ref_code: string }>("select ref_code from users where user_id = $1", [userId])
  return row?.ref_code ?? ""
}

const ledgerOf = (userId: number) =>
  world.sql<{ reason: string; amount: number; balance: number }>(
    `select reason, amount_credit_micros::int as amount, balance_after_credit_micros::int as balance
     from ledger where user_id = $1 order by ledger_id`,
    [userId],
  )
const trialsOf = (userId: number) =>
  world.sql<{ plan: string; starts_at: string; ends_at: string }>(
    "select plan, starts_at, ends_at from subscriptions where user_id = $1",
    [userId],
  )
const referralsOf = (userId: number) =>
  world.sql("select referrer_user_id::int as by from referrals where referred_user_id = $1", [userId])

const SIGNUP = { reason: "signup_credit", amount: CREDIT, balance: CREDIT }

describe("A name", () => {
  const nameOf = async (userId: number) =>
    (await world.sql<{ name: string }>("select name from users where user_id = $1", [userId]))[0]?.name
  async function called(id: number, first_name: string, last_name?: string): Promise<number> {
    const user = JSON.stringify({ id, first_name, ...(last_name && { last_name }) })
    const body = { init_data: launchOf(world, bot, id, { user }) }
    const [status, signedIn] = await browserAt(world, bot.host).json("POST", "/api/auth/messenger-webapp", body)
    expect(status).toBe(200)
    return signedIn.user_id
  }

  test("A name that changes on the platform is copied at the next sign-in, and a name that was edited here stays", async () => {
    const id = ++people
    const userId = await called(id, "Ada", "Byron")
    expect(await nameOf(userId)).toBe("Ada Byron")
    expect(await called(id, "Ada", "Lovelace")).toBe(userId)
    expect(await nameOf(userId)).toBe("Ada Lovelace")
    await world.sql("update users set name = 'The Countess' where user_id = $1", [userId])
    await called(id, "Ada", "Lovelace")
    expect(await nameOf(userId)).toBe("The Countess")
    await called(id, "Augusta")
    expect(await nameOf(userId)).toBe("Augusta")
  })
})

describe("The first sign-in", () => {
  test("The first sign-in makes a user with a wallet, one trial and one credit, and later sign-ins make none", async () => {
    const id = ++people
    const userId = await signIn(id)
    const [trial] = await trialsOf(userId)
    expect(trial?.plan).toBe("trial")
    expect(Date.parse(trial?.ends_at ?? "") - Date.parse(trial?.starts_at ?? "")).toBe(14 * DAY_MS)
    await world.advance(20 * DAY_MS)
    expect(await signIn(id)).toBe(userId)
    await world.sql("update subscriptions set deactivated_at = now() where user_id = $1", [userId])
    expect(await signIn(id)).toBe(userId)
    expect(await trialsOf(userId)).toHaveLength(1)
    expect(await ledgerOf(userId)).toEqual([SIGNUP])
    await expectBooks(world, userId)
  })

  test("Fifty concurrent first sign-ins by mini-app and bot make one user, trial, credit and referral", async () => {
    const referrer = await signIn(++people)
    const ref_code = await codeOf(referrer)
    const id = ++people
    const chat = chatWith(world, bot, id)
    const done = Array.from({ length: 50 }, (_, n) =>
      n % 2 ? signIn(id, ref_code) : chat.say(`/start ${ref_code}`).then(([status]) => expect(status).toBe(200)),
    )
    await Promise.all(done)
    const [user, ...others] = await usersOf(world, bot, id)
    expect(others).toEqual([])
    const userId = user?.user_id ?? 0
    expect(await trialsOf(userId)).toHaveLength(1)
    expect(await ledgerOf(userId)).toEqual([
      SIGNUP,
      { reason: "referral_signup_credit", amount: CREDIT, balance: 2 * CREDIT },
    ])
    expect(await ledgerOf(referrer)).toEqual([
      SIGNUP,
      { reason: "referral_signup_credit", amount: CREDIT, balance: 2 * CREDIT },
    ])
    expect(await world.sql("select 1 from users where name = 'Ada Lovelace' and user_id > $1", [userId])).toEqual([])
    for (const one of [userId, referrer]) await expectBooks(world, one)
  })

  test("Two identical sign-ins that race in the database find one user, and both succeed", async () => {
    const ctx = authContextOf(world)
    const ref = await codeOf(await signIn(++people))
    for (let round = 0; round < 10; round++) {
      const person = { id: String(++people), first_name: "Ada", last_name: "Lovelace" }
      const twins = await Promise.all(Array.from({ length: 8 }, () => signInMessenger(ctx, bot.brand, person, ref)))
      expect(new Set(twins.map(({ user_id }) => user_id)).size).toBe(1)
      const [twin] = twins
      expect(await ledgerOf(twin?.user_id ?? 0)).toHaveLength(2)
      expect(await trialsOf(twin?.user_id ?? 0)).toHaveLength(1)
    }
  })

  test("Forty people whom one user referred sign in concurrently, and every running total stays exact", async () => {
    const referrer = await signIn(++people)
    const ref_code = await codeOf(referrer)
    const referred = await Promise.all(Array.from({ length: 40 }, () => signIn(++people, ref_code)))
    const rows = await ledgerOf(referrer)
    expect(rows.map(({ balance }) => balance)).toEqual(Array.from({ length: 41 }, (_, n) => (n + 1) * CREDIT))
    for (const one of [referrer, ...referred]) await expectBooks(world, one)
  })

  test("The setting limits referral credit, also for concurrent sign-ins, and all referrals are recorded", async () => {
    await world.sql("insert into settings (key, value, updated_at) values ('referrer_most_credited', '3', now())")
    const referrer = await signIn(++people)
    const ref_code = await codeOf(referrer)
    const referred = await Promise.all(Array.from({ length: 8 }, () => signIn(++people, ref_code)))
    await world.sql("delete from settings where key = 'referrer_most_credited'")
    expect(await ledgerOf(referrer)).toHaveLength(1 + 3)
    const credited = await Promise.all(referred.map(async (one) => (await ledgerOf(one)).length))
    expect(credited.sort()).toEqual([1, 1, 1, 1, 1, 2, 2, 2])
    for (const one of referred) expect(await referralsOf(one)).toEqual([{ by: referrer }])
    for (const one of [referrer, ...referred]) await expectBooks(world, one)
  })

  test("Mutual referrals and concurrent first sign-ins of the same users do not deadlock", async () => {
    const referrers = await Promise.all([signIn(++people), signIn(++people)])
    const codes = await Promise.all(referrers.map(codeOf))
    const first = people + 1
    people += 5
    await Promise.all(Array.from({ length: 60 }, (_, n) => signIn(first + (n % 5), codes[n % 2])))
    for (let id = first; id < first + 5; id++) {
      const [user] = await usersOf(world, bot, id)
      expect(await referralsOf(user?.user_id ?? 0)).toHaveLength(1)
      expect(await ledgerOf(user?.user_id ?? 0)).toHaveLength(2)
    }
    const rows = await Promise.all(referrers.map(ledgerOf))
    expect(rows.flat().filter(({ reason }) => reason === "referral_signup_credit")).toHaveLength(5)
    for (const one of referrers) await expectBooks(world, one)
  })
})

test("First credits are booked once, each under its own reference, as all bookings are", async () => {
  const referrer = await signIn(++people)
  const user = await signIn(++people, await codeOf(referrer))
  const entries = await world.sql<{ reference: string; actor: string; note: string | null }>(
    "select reference, actor, note from ledger where user_id = any($1) order by ledger_id",
    [[referrer, user]],
  )
  expect(entries).toEqual([
    { reference: `signup:${referrer}`, actor: "signup", note: null },
    { reference: `signup:${user}`, actor: "signup", note: null },
    { reference: `referred:${user}`, actor: "signup", note: `referred by ${referrer}` },
    { reference: `referrer:${user}`, actor: "signup", note: `has referred ${user}` },
  ])
})

test("A person who unlinks the platform and returns is a new user and gets no second trial", async () => {
  const [id, ref_code] = [++people, await codeOf(await signIn(++people))]
  const first = await signIn(id)
  await world.sql("delete from identities where user_id = $1", [first])
  const second = await signIn(id, ref_code)
  expect(second).not.toBe(first)
  expect([await trialsOf(second), await ledgerOf(second), await referralsOf(second)]).toEqual([[], [], []])
  await expectBooks(world, second)
})

describe("A code", () => {
  test("A referral code counts once: unknown, own, late, repeated, other brands' and disabled users' codes are ignored", async () => {
    const other = await createBot(world, "other")
    const [a, b, foreign] = [await signIn(++people), await signIn(++people), await signIn(++people, undefined, other)]
    const [codeA, codeB, codeForeign] = [await codeOf(a), await codeOf(b), await codeOf(foreign)]
    expect(codeA).toMatch(/^[0-9a-f]{16}$/)
    for (const code of ["nobody", "", codeForeign, `X${codeA}`]) {
      const user = await signIn(++people, code)
      expect([await referralsOf(user), await ledgerOf(user)]).toEqual([[], [SIGNUP]])
    }
    const id = ++people
    const referred = await signIn(id, codeA)
    for (const code of [codeA, codeB, await codeOf(referred)]) await signIn(id, code)
    expect(await referralsOf(referred)).toEqual([{ by: a }])
    expect(await ledgerOf(referred)).toHaveLength(2)
    expect([await ledgerOf(a), await ledgerOf(b), await ledgerOf(foreign)].map(({ length }) => length)).toEqual([
      2, 1, 1,
    ])
    await world.sql("update users set disabled_at = now() where user_id = $1", [b])
    expect(await referralsOf(await signIn(++people, codeB))).toEqual([])
    const long = { init_data: launchOf(world, bot, ++people), ref_code: "a".repeat(65) }
    expect((await browserAt(world, bot.host).json("POST", "/api/auth/messenger-webapp", long))[0]).toBe(422)
  })
})

describe("Settings of the first sign-in", () => {
  const set = (settings: Record<string, unknown>) =>
    world.sql(
      "insert into settings (key, value) select * from jsonb_each($1::jsonb) on conflict (key) do update set value = excluded.value",
      [JSON.stringify(settings)],
    )

  test("The settings determine plan, days and credit, and invalid settings block no sign-in", async () => {
    const referrer = await signIn(++people)
    const code = await codeOf(referrer)
    await set({
      trial_plan: "start",
      trial_days: 3,
      signup_credit_micros: 7,
      referred_credit_micros: 0,
      referrer_credit_micros: 11,
    })
    const user = await signIn(++people, code)
    const [trial] = await trialsOf(user)
    expect([trial?.plan, Date.parse(trial?.ends_at ?? "") - Date.parse(trial?.starts_at ?? "")]).toEqual([
      "start",
      3 * DAY_MS,
    ])
    expect(await ledgerOf(user)).toEqual([{ reason: "signup_credit", amount: 7, balance: 7 }])
    expect((await ledgerOf(referrer)).at(-1)).toEqual({
      reason: "referral_signup_credit",
      amount: 11,
      balance: CREDIT + 11,
    })
    await set({ trial_days: 0, signup_credit_micros: -5, referrer_credit_micros: 0 })
    const bare = await signIn(++people, code)
    expect([await trialsOf(bare), await ledgerOf(bare)]).toEqual([[], []])
    await expectBooks(world, bare)
    await set({
      trial_plan: 7,
      trial_days: "x",
      signup_credit_micros: 1e30,
      referred_credit_micros: null,
      referrer_credit_micros: {},
    })
    const odd = await signIn(++people, code)
    expect((await trialsOf(odd))[0]?.plan).toBe("trial")
    await expectBooks(world, odd)
  })
})

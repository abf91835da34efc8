import { afterAll, beforeAll, expect, test } from "vitest"
import { type AdminEstate, createAdminEstate } from "../harness/admin-requests.ts"
import { browserAt, chatWith, createBot, launchOf, type TestBot, usersOf } from "../harness/messenger.ts"
import { expectBooks } from "../harness/promises.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
let bot: TestBot
let estate: AdminEstate
beforeAll(async () => {
  world = await createWorld()
  bot = await createBot(world, "acme")
  estate = await createAdminEstate(world, "first sign-ins of accounts")
})
afterAll(() => world.close())

let people = 60_000

/** An account that an admin has created for a person on the messaging platform. */
async function accountFor(id: number): Promise<number> {
  const body = { messenger_id: String(id), brand: "acme", name: "Made by an admin" }
  const [status, user] = await estate.admin.json("POST", "/api/admin/users", body)
  expect(status, JSON.stringify(user)).toBe(200)
  return user.user_id
}

/** An account with a password that has linked the platform's identity. */
async function linkedAccount(id: number): Promise<number> {
  const { userId } = await world.createAccount()
  await world.sql(
    "insert into identities (issuer, subject, user_id, created_at) values ('messenger:acme', $1, $2, now())",
    [String(id), userId],
  )
  return userId
}

async function signIn(id: number, ref_code?: string) {
  const body = { init_data: launchOf(world, bot, id), ...(ref_code !== undefined && { ref_code }) }
  return browserAt(world, bot.host).json("POST", "/api/auth/messenger-webapp", body)
}

async function codeOf(userId: number): Promise<string> {
  const [row] = await world.sql<{ ref_code: string }>("select ref_code from users where user_id = $1", [userId])
  return row?.ref_code ?? ""
}

/** The credits and trials that an account got by signing in. */
async function giftsOf(userId: number) {
  const [row] = await world.sql(
    `select (select count(*)::int from subscriptions where user_id = $1 and trial) as trials,
       (select coalesce(jsonb_agg(reason order by ledger_id), '[]') from ledger where user_id = $1
          and reason in ('signup_credit', 'referral_signup_credit')) as credits,
       (select referrer_user_id::int from referrals where referred_user_id = $1) as referrer`,
    [userId],
  )
  return row
}

const NOTHING = { trials: 0, credits: [], referrer: null }
const TRIAL = { trials: 1, credits: ["signup_credit"], referrer: null }
const referredBy = (referrer: number) => ({ trials: 1, credits: ["signup_credit", "referral_signup_credit"], referrer })

test.each([
  ["an admin has created", accountFor],
  ["linked the platform's identity before", linkedAccount],
])("The first sign-in of an account that %s gives the trial, the credit and the referral, once", async (_way, make) => {
  const [, referrer] = await signIn(++people)
  const [id, code] = [++people, await codeOf(referrer.user_id)]
  const userId = await make(id)
  expect(await giftsOf(userId)).toEqual(NOTHING)
  const [status, user] = await signIn(id, code)
  expect([status, user.user_id]).toEqual([200, userId])
  expect(await giftsOf(userId)).toEqual(referredBy(referrer.user_id))
  await signIn(id, code)
  expect(await giftsOf(userId)).toEqual(referredBy(referrer.user_id))
  await expectBooks(world, userId)
})

test("Twenty concurrent first sign-ins of an account that an admin has created give one trial, one credit and one referral", async () => {
  const [, referrer] = await signIn(++people)
  const [id, code] = [++people, await codeOf(referrer.user_id)]
  const userId = await accountFor(id)
  const chat = chatWith(world, bot, id)
  const ways = Array.from({ length: 20 }, (_, n) => (n % 2 ? signIn(id, code) : chat.say(`/start ${code}`)))
  for (const [status] of await Promise.all(ways)) expect(status).toBe(200)
  expect(await giftsOf(userId)).toEqual(referredBy(referrer.user_id))
  for (const one of [userId, referrer.user_id]) await expectBooks(world, one)
})

test("The login in the bot is a first sign-in too, and the mini-app gives no credit after it", async () => {
  const [, referrer] = await signIn(++people)
  const id = ++people
  const userId = await accountFor(id)
  const [, { token }] = await browserAt(world, bot.host).json("POST", "/api/auth/tg-login/start")
  await chatWith(world, bot, id).say(`/start weblogin_${token}`)
  expect(await giftsOf(userId)).toEqual(TRIAL)
  await signIn(id, await codeOf(referrer.user_id))
  expect(await giftsOf(userId)).toEqual(TRIAL)
})

test("An account with two identities has one first sign-in, also if both sign in concurrently", async () => {
  const [one, two] = [++people, ++people]
  const userId = await accountFor(one)
  await world.sql(
    "insert into identities (issuer, subject, user_id, created_at) values ('messenger:acme', $1, $2, now())",
    [String(two), userId],
  )
  await Promise.all([signIn(one), signIn(two), signIn(one), signIn(two)])
  expect(await giftsOf(userId)).toEqual(TRIAL)
  // The second person gets no credit for a second account either.
  await world.sql("delete from identities where subject = $1", [String(two)])
  const [, again] = await signIn(two)
  expect(again.user_id).not.toBe(userId)
  expect(await giftsOf(again.user_id)).toEqual(NOTHING)
})

test("An account cannot refer itself, and two accounts that refer each other concurrently do not deadlock", async () => {
  const own = ++people
  const userId = await accountFor(own)
  expect((await signIn(own, await codeOf(userId)))[0]).toBe(200)
  expect(await giftsOf(userId)).toEqual(TRIAL)
  for (let round = 0; round < 5; round++) {
    const pair = [++people, ++people]
    const users = await Promise.all(pair.map(accountFor))
    const codes = await Promise.all(users.map(codeOf))
    const answers = await Promise.all(pair.map((id, at) => signIn(id, codes[1 - at])))
    expect(answers.map(([status]) => status)).toEqual([200, 200])
    for (const [at, user] of users.entries()) {
      expect(await giftsOf(user)).toMatchObject({ trials: 1, referrer: users[1 - at] })
      await expectBooks(world, user)
    }
  }
})

test("A disabled account gets no trial while it is disabled, and gets it when it signs in afterwards", async () => {
  const id = ++people
  const userId = await accountFor(id)
  await estate.admin.json("PUT", `/api/admin/users/${userId}`, { disabled: true })
  expect((await signIn(id))[0]).not.toBe(200)
  expect(await giftsOf(userId)).toEqual(NOTHING)
  await estate.admin.json("PUT", `/api/admin/users/${userId}`, { disabled: false })
  expect((await signIn(id))[0]).toBe(200)
  expect(await giftsOf(userId)).toEqual(TRIAL)
})

test("The plan that an admin gave before the first sign-in stays the active plan, next to the trial", async () => {
  const id = ++people
  const userId = await accountFor(id)
  await world.sql(
    `insert into subscriptions (user_id, plan, starts_at, created_at, updated_at)
     values ($1, 'pro', $2::timestamptz, $2::timestamptz, $2::timestamptz)`,
    [userId, world.clock.now()],
  )
  await world.advance(60_000)
  await signIn(id)
  expect((await giftsOf(userId))?.trials).toBe(1)
  const [, detail] = await estate.admin.json("GET", `/api/admin/users/${userId}`)
  expect(detail.subscription).toMatchObject({ plan: "pro" })
  expect((await usersOf(world, bot, id))[0]?.user_id).toBe(userId)
})

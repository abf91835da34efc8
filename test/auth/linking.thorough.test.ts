import { env as bindings } from "cloudflare:workers"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createUser } from "../../src/ops/seed.ts"
import { isThorough } from "../harness/crash.ts"
import { ORIGIN } from "../harness/dashboard.ts"
import { createHostileWorld, type HostileWorld, ISSUER } from "../harness/hostile-provider.ts"
import { createRandom } from "../harness/random.ts"

const SECRET = "between two services"
const PARTNER = "https://id.partner.com"

let world: HostileWorld
beforeAll(async () => {
  world = await createHostileWorld()
  world.rebind({ IDP_INTERNAL_SECRET: SECRET })
})
afterAll(() => world.close())

/**
 * The victim owns one email. The attacker owns another and can only claim the victim's; a verified
 * claim comes from the owner.
 */
type Person = "victim" | "attacker"

interface Step {
  who: Person
  /**
   * Sign-up by password, which makes an account; at the OpenID provider; or by our identity
   * service, for either issuer.
   */
  path: "password" | "oidc" | "idp" | "idp as the provider"
  /** The owner of the email that the sign-up claims. */
  email: Person | null
  verified: boolean
  /** The number of the person's subject at that issuer. */
  subject: number
  /** True to write the same email in capitals. */
  capitals: boolean
}

const step = (who: Person, path: Step["path"], more: Partial<Step> = {}): Step => {
  const verified = more.verified ?? who === "victim"
  return { who, path, email: "victim", verified, subject: 1, capitals: false, ...more }
}

interface Account {
  email: string | null
  verified: boolean
  /** Issuers and subjects. */
  ways: Set<string>
  /** The people who have signed in to the account. */
  people: Set<Person>
  userId: number
}

const emailOf = (run: string, { email, capitals }: Step) => {
  if (email === null) return null
  const text = `${email}-${run}@people.test`
  return capitals ? text.toUpperCase() : text
}

const issuerOf = (path: Step["path"]) => (path === "idp" ? PARTNER : ISSUER)

/**
 * The rule of docs/decisions/0012-linking-identities.md: join by issuer and subject, and by email
 * only if it is verified on both sides. Returns the account to use, a new account with `userId` 0,
 * or null if a password account's email is taken.
 */
function reference(accounts: Account[], run: string, one: Step): Account | null {
  const email = emailOf(run, one)
  const same = (account: Account) => email !== null && account.email?.toLowerCase() === email.toLowerCase()
  const way = `${issuerOf(one.path)} ${run}-${one.who}-${one.subject}`
  if (one.path === "password") {
    if (email === null || accounts.some(same)) return null
    return { email, verified: one.verified, ways: new Set(), people: new Set(), userId: 0 }
  }
  const known = accounts.find(({ ways }) => ways.has(way))
  const joined = accounts.find((account) => one.verified && account.verified && same(account))
  const own = one.verified && email !== null && !accounts.some(same) ? email : null
  const entered = known ??
    joined ?? { email: own, verified: own !== null, ways: new Set(), people: new Set(), userId: 0 }
  entered.ways.add(way)
  return entered
}

async function act(run: string, one: Step): Promise<number> {
  const email = emailOf(run, one)
  if (one.path === "password") {
    const userId = await createUser(world.sql, { email, passwordHash: "scrypt$none" })
    await world.sql("update users set email_verified = $2 where user_id = $1", [userId, one.verified])
    return userId
  }
  const claims = { subject: `${run}-${one.who}-${one.subject}`, email, email_verified: one.verified }
  if (one.path === "oidc") {
    const { subject: sub, ...rest } = claims
    world.misbehaves({ claims: { sub, ...rest } })
    const { browser, response } = await world.signInAt()
    expect(response.status, await response.clone().text()).toBe(302)
    return (await browser.me())?.user_id ?? 0
  }
  const headers = { "content-type": "application/json", "x-internal-secret": SECRET }
  const body = JSON.stringify({ issuer: issuerOf(one.path), ...claims })
  const response = await world.invoke(new Request(`${ORIGIN}/api/auth/idp/session`, { method: "POST", headers, body }))
  expect(response.status, await response.clone().text()).toBe(200)
  return ((await response.json()) as { user_id: number }).user_id
}

let steps = 0

/** Performs the steps and compares each with the rule. No person may enter another's account. */
async function check(run: string, sequence: Step[]) {
  const accounts: Account[] = []
  for (const [n, one] of sequence.entries()) {
    const said = `${run}, step ${n + 1} of ${JSON.stringify(sequence)}`
    const expected = reference(accounts, run, one)
    if (!expected) continue
    const userId = await act(run, one)
    steps++
    if (!accounts.includes(expected)) {
      expect(
        accounts.map((account) => account.userId),
        said,
      ).not.toContain(userId)
      accounts.push(Object.assign(expected, { userId }))
    }
    expect(userId, said).toBe(expected.userId)
    expected.people.add(one.who)
    for (const { people } of accounts) expect([...people], said).toHaveLength(1)
  }
  const rows = await world.sql<{ user_id: string; email: string | null; email_verified: boolean }>(
    "select user_id, email, email_verified from users where user_id = any($1)",
    [accounts.map(({ userId }) => userId)],
  )
  const byId = (a: { userId: number }, b: { userId: number }) => a.userId - b.userId
  expect(
    rows.map((row) => ({ userId: Number(row.user_id), email: row.email, verified: row.email_verified })).sort(byId),
    JSON.stringify(sequence),
  ).toEqual(accounts.map(({ userId, email, verified }) => ({ userId, email, verified })).sort(byId))
}

const CORE = [
  step("attacker", "password", { verified: false }),
  step("attacker", "oidc"),
  step("attacker", "idp"),
  step("victim", "password", { verified: false }),
  step("victim", "password"),
  step("victim", "oidc"),
  step("victim", "oidc", { verified: false, subject: 2 }),
  step("victim", "idp"),
  step("victim", "idp as the provider", { subject: 3, capitals: true }),
]

/** All sequences in CI, one in four locally. */
const taken = (place: number) => isThorough || place % 4 === 0

test("Identities join the correct account in every order of any three sign-ups", async () => {
  for (const [a, first] of CORE.entries()) {
    for (const [b, second] of CORE.entries()) {
      for (const [c, third] of CORE.entries()) {
        if (new Set([a, b, c]).size === 3 && taken(a + b + c)) await check(`t${a}${b}${c}`, [first, second, third])
      }
    }
  }
  console.log(`${steps} sign-ups`)
})

test("Identities join the correct account in long random orders, with emails that change at the provider", async () => {
  const { TURNPIKE_SEED } = bindings as unknown as Record<string, string>
  const { seed, int, pick } = createRandom("orders of sign-ups", Number(TURNPIKE_SEED) || undefined)
  console.log(`seed ${seed}`)
  const before = steps
  for (let n = 0; n < (isThorough ? 50 : 20); n++) {
    const sequence = Array.from({ length: 10 }, () => {
      const who = pick(["victim", "attacker"] as const)
      const email = pick(["victim", "attacker", null] as const)
      return step(who, pick(["password", "oidc", "idp", "idp as the provider"] as const), {
        email,
        verified: email === who && int(2) === 0,
        subject: pick([1, 2]),
        capitals: int(3) === 0,
      })
    })
    await check(`r${n}`, sequence)
  }
  console.log(`${steps - before} sign-ups`)
})

test("Letters that only look or fold alike make a different email", async () => {
  await check("plain", [step("victim", "oidc")])
  const [{ user_id: victim } = { user_id: "" }] = await world.sql<{ user_id: string }>(
    "insert into users (email, email_verified) values ('kiki@people.test', true) returning user_id",
  )
  const emails = [
    "\u212aiki@people.test",
    "k\u0131ki@people.test",
    "K\u0130KI@people.test",
    "kiki@people.test\u200b",
    " kiki@people.test",
    "kiki@people.test.",
    "kiki+x@people.test",
  ]
  for (const [n, email] of emails.entries()) {
    world.misbehaves({ claims: { sub: `look-${n}`, email, email_verified: true } })
    const { browser } = await world.signInAt()
    const me = await browser.me()
    expect(me?.user_id, JSON.stringify(email)).toBeGreaterThan(Number(victim))
  }
})

test.each([null, false, "false"])("An email_verified of %j does not count as true", async (email_verified) => {
  const name = `strict-${typeof email_verified}-${email_verified}`
  await world.sql("insert into users (email, email_verified) values ($1, true)", [`${name}@people.test`])
  world.misbehaves({ claims: { sub: name, email: `${name}@people.test`, email_verified } })
  expect(await (await world.signInAt()).browser.me()).toMatchObject({ email: null })
})

test("An email_verified that is the text true counts as true", async () => {
  const email = "by-text@people.test"
  world.misbehaves({ claims: { sub: "by-text", email, email_verified: "true" } })
  expect(await (await world.signInAt()).browser.me()).toMatchObject({ email, email_verified: true })
})

test.each([1, "yes", "TRUE ", "", {}, [true]])(
  "An email_verified of %j ends the sign-in with a reason",
  async (email_verified) => {
    const name = `odd-${JSON.stringify(email_verified)}`
    world.misbehaves({ claims: { sub: name, email: "odd@people.test", email_verified } })
    expect(await (await world.signInAt()).browser.me()).toBeNull()
  },
)

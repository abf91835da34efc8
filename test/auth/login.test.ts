import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { networkOf } from "../../src/base/network.ts"
import { takePasswordTry } from "../../src/sign-in/login-throttle.ts"
import { hashPassword } from "../../src/sign-in/password.ts"
import { LOGIN_POLICY } from "../../src/sign-in/policies.ts"
import { askAuth, authContextOf, createPerson, postLogin } from "../harness/auth.ts"
import { createWorld, type World } from "../harness/world.ts"

const PASSWORD = "correct horse battery staple"
const { accountAtAddress, address: perAddress, accountElsewhere } = LOGIN_POLICY

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())
// Limits are per address, so each test begins after all attempts have been restored.
afterEach(() => world.advance(24 * 3_600_000))

async function wrong(email: string, addresses: string[]) {
  const answers = []
  for (const address of addresses) answers.push(await postLogin(world, email, "x", address))
  return answers.map(({ status }) => status)
}

/** Counts wrong passwords, one from each address, without the cost of hashing. */
async function countWrong(account: number | string, addresses: string[]) {
  for (const address of addresses) await takePasswordTry(authContextOf(world, address), { account, known: false })
}

const addresses = (count: number) => Array.from({ length: count }, (_, n) => `203.0.${n >> 8}.${n & 255}`)

describe("Signing in with a password", () => {
  test("A sign-in returns the user and sets the session, which records browser and address", async () => {
    const passwordHash = await hashPassword(PASSWORD)
    const { userId, email } = await createPerson(world, { passwordHash, role: "admin" })
    const { status, answer, headers, cookie } = await postLogin(world, ` ${email.toUpperCase()}`, PASSWORD)
    expect([status, answer]).toEqual([200, expect.objectContaining({ user_id: userId, email, role: "admin" })])
    expect(Object.keys(answer)).not.toContain("password_hash")
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^token=[^;]+; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
      "acting=; Max-Age=0; Path=/api/account; HttpOnly; Secure; SameSite=Lax",
    ])
    expect((await askAuth(world, "/api/auth/me", { method: "GET", cookie })).answer).toEqual(answer)
    const { answer: list } = await askAuth(world, "/api/account/sessions", { method: "GET", cookie })
    expect(list.items).toEqual([expect.objectContaining({ current: true, address: "198.51.100.1" })])
  })

  test("A wrong password, an unknown email, a missing password and a disabled account get the same answer and no cookie", async () => {
    const person = await createPerson(world, { password: PASSWORD })
    const without = await createPerson(world)
    const disabled = await createPerson(world, { password: PASSWORD })
    await world.sql("update users set disabled_at = now() where user_id = $1", [disabled.userId])
    const seen = []
    for (const [email, password] of [
      [person.email, `${PASSWORD} `],
      [person.email, PASSWORD.toUpperCase()],
      ["nobody@people.test", PASSWORD],
      [without.email, PASSWORD],
      [disabled.email, PASSWORD],
    ] as const) {
      const { status, answer, headers } = await postLogin(world, email, password)
      const calls = [...(headers.get("server-timing") ?? "").matchAll(/(pg|redis).*?calls=(\d)/g)].map(([, , n]) => n)
      const [cookie, challenge] = [headers.get("set-cookie"), headers.get("www-authenticate")]
      seen.push({ status, answer, cookie, challenge, calls })
    }
    expect(new Set(seen.map((one) => JSON.stringify(one))).size).toBe(1)
    expect(seen[0]).toMatchObject({
      status: 401,
      answer: { code: "INVALID_CREDENTIALS" },
      cookie: null,
      // Redis calls for the address limit and for the password attempts.
      calls: ["1", "2"],
    })
  })

  test("A password in another Unicode form of the same letters matches", async () => {
    const { email } = await createPerson(world, { password: "Ångström is long" })
    expect((await postLogin(world, email, "A\u030Angstro\u0308m is long")).status).toBe(200)
  })

  test.each([{}, { email: "a@b.c" }, { password: "x" }, { email: 1, password: "x" }, { email: "", password: "x" }])(
    "The body %j is a 422 and does not count as an attempt",
    async (body) => expect((await askAuth(world, "/api/auth/login", { body })).status).toBe(422),
  )
})

describe("Throttling", () => {
  test("Twenty wrong passwords slow the attacker down, but not the owner elsewhere", async () => {
    const { email } = await createPerson(world, { password: PASSWORD })
    const attacker = "192.0.2.66"
    const statuses = await wrong(email, Array(20).fill(attacker))
    expect(statuses).toEqual([
      ...Array(accountAtAddress.burst).fill(401),
      ...Array(20 - accountAtAddress.burst).fill(429),
    ])
    const { status, answer, headers } = await postLogin(world, email, PASSWORD, attacker)
    const seconds = accountAtAddress.intervalMs / 1000
    expect([status, answer.code, headers.get("retry-after")]).toEqual([429, "LOGIN_THROTTLED", String(seconds)])
    expect(answer.detail).toContain(`${seconds} s`)
    expect((await postLogin(world, email, PASSWORD, "198.51.100.7")).status).toBe(200)
    // Exactly this wait is enough, and slightly less is not.
    await world.advance(seconds * 1000 - 1)
    expect((await postLogin(world, email, PASSWORD, attacker)).status).toBe(429)
    await world.advance(1)
    expect((await postLogin(world, email, PASSWORD, attacker)).status).toBe(200)
  })

  test("A hundred concurrent attempts achieve no more than sequential ones", async () => {
    const { email } = await createPerson(world, { password: PASSWORD })
    const statuses = await wrongAtOnce(email, 100)
    expect(statuses.filter((status) => status === 401)).toHaveLength(accountAtAddress.burst)
    expect(statuses.filter((status) => status === 429)).toHaveLength(100 - accountAtAddress.burst)
  })

  test("Correct passwords are not counted and have no limit", async () => {
    const { email } = await createPerson(world, { password: PASSWORD })
    for (let n = 0; n < 15; n++) {
      expect((await postLogin(world, email, PASSWORD)).status).toBe(200)
      await world.settled()
    }
  })

  test("One address is throttled across all accounts, unknown accounts included", async () => {
    for (let n = 0; n < perAddress.burst - 1; n++) await countWrong(`nobody-${n}`, ["192.0.2.9"])
    const { email } = await createPerson(world, { password: PASSWORD })
    expect(await wrong(email, ["192.0.2.9", "192.0.2.9"])).toEqual([401, 429])
  })

  test("An account under distributed attack is slow for unknown addresses and never for those that its owner has used", async () => {
    const { userId, email } = await createPerson(world, { password: PASSWORD })
    const home = "198.51.100.77"
    expect((await postLogin(world, email, PASSWORD, home)).status).toBe(200)
    await world.settled()
    await countWrong(userId, addresses(accountElsewhere.burst - 1))
    expect(await wrong(email, ["192.0.2.12", "192.0.2.13"])).toEqual([401, 429])
    expect((await postLogin(world, email, PASSWORD, "198.51.100.78")).status).toBe(429)
    expect((await postLogin(world, email, PASSWORD, home)).status).toBe(200)
    await world.advance(accountElsewhere.intervalMs)
    expect((await postLogin(world, email, PASSWORD, "198.51.100.78")).status).toBe(200)
  })

  test("An account under attack stays fast for the owner's IPv6 network, also from another address in it", async () => {
    const { userId, email } = await createPerson(world, { password: PASSWORD })
    expect((await postLogin(world, email, PASSWORD, "2001:db8:7:1:aaaa::1")).status).toBe(200)
    await postLogin(world, email, PASSWORD, "not an address")
    await world.settled()
    await countWrong(userId, addresses(accountElsewhere.burst))
    expect((await postLogin(world, email, PASSWORD, "2001:db8:7:2::1")).status).toBe(429)
    expect((await postLogin(world, email, PASSWORD, "2001:db8:7:1:bbbb::2")).status).toBe(200)
  })

  test("An unknown account is throttled like a known account, in any letter case", async () => {
    const tries = Array.from({ length: accountAtAddress.burst + 1 }, (_, n) =>
      n % 2 ? "Ghost@x.test" : "ghost@X.test",
    )
    const statuses = []
    for (const email of tries) statuses.push((await postLogin(world, email, "x", "192.0.2.10")).status)
    expect(statuses.at(-1)).toBe(429)
  })

  test("Without Redis no password is checked", async () => {
    const { email } = await createPerson(world, { password: PASSWORD })
    await world.plan([{ service: "redis", call: 1, times: 9, action: "fail", when: "before" }])
    const { status, answer, headers } = await postLogin(world, email, PASSWORD).finally(world.clearFaults)
    expect([status, answer.code, headers.get("retry-after")]).toEqual([503, "UNAVAILABLE", "60"])
    expect((await postLogin(world, email, PASSWORD)).status).toBe(200)
  })

  test("IPv6 networks are throttled too: a /56 at twice the limit of an address, and a /48 at four times", async () => {
    /** The number of attempts that are admitted, each for a different account and from a different address. */
    const letIn = async (addressOf: (hex: string) => string) => {
      for (let n = 0; n < 10 * perAddress.burst; n++) {
        const tried = countWrong(crypto.randomUUID(), [addressOf((n + 16).toString(16))])
        if (await tried.catch(() => "refused")) return n
      }
      return Number.POSITIVE_INFINITY
    }
    expect(await letIn((hex) => `2001:db8:9:1::${hex}`)).toBe(perAddress.burst)
    expect(await letIn((hex) => `2001:db8:9:2${hex}::1`)).toBe(2 * perAddress.burst)
    // The attempts of the /64 and the /56 before count for the /48 too.
    expect(await letIn((hex) => `2001:db8:9:${hex}00::1`)).toBe(perAddress.burst)
    expect(await letIn((hex) => `2001:db8:a:${hex}00::1`)).toBe(4 * perAddress.burst)
  })

  test("An IPv6 customer counts as one, whichever of their addresses is used", () => {
    expect(networkOf("2001:db8:1:2:3:4:5:6")).toBe("2001:db8:1:2::/64")
    expect(networkOf("2001:DB8:1:2::1")).toBe("2001:db8:1:2::/64")
    expect(networkOf("2001:db8::1")).toBe("2001:db8:0:0::/64")
    expect(networkOf("::1")).toBe("0:0:0:0::/64")
    expect(networkOf("203.0.113.9")).toBe("203.0.113.9")
    expect(networkOf(null)).toBe("none")
  })
})

async function wrongAtOnce(email: string, count: number) {
  const one = async () => (await postLogin(world, email, "x", "192.0.2.11")).status
  return Promise.all(Array.from({ length: count }, one))
}

test("No secret of a login is in Redis, the log, or an answer", async () => {
  const { email } = await createPerson(world, { password: PASSWORD })
  await postLogin(world, email, "canary-password")
  const keys = await authContextOf(world).redis.run<string[]>("return redis.call('KEYS', '*')", [], [])
  expect(keys.length).toBeGreaterThan(0)
  expect(keys.join()).not.toMatch(/canary|@people/)
})

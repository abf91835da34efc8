import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { TurnpikeError } from "../../src/base/errors.ts"
import { putBrand } from "../../src/ops/brands.ts"
import { takePasswordTry } from "../../src/sign-in/login-throttle.ts"
import { LOGIN_POLICY } from "../../src/sign-in/policies.ts"
import { authContextOf, createPerson, postLogin } from "../harness/auth.ts"
import { EMAIL_HOOK, receiveEmails } from "../harness/notices.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
let emails: ReturnType<typeof receiveEmails>
beforeAll(async () => {
  world = await createWorld({ env: EMAIL_HOOK })
  emails = receiveEmails(world)
})
afterAll(() => world.close())
afterEach(() => world.advance(24 * 3_600_000))

test("Letters that only some case rules fold do not reveal whether an email has an account", async () => {
  const { email } = await createPerson(world, { password: "correct horse battery staple" })
  // The Kelvin sign, which JavaScript folds to k, and a dotted capital I, which some databases fold to i.
  const known = `ki-${email}`
  await world.sql("update users set email = $1 where email = $2", [known, email])
  const seen = []
  for (const [n, name] of [known, `ki-${crypto.randomUUID()}@people.test`].entries()) {
    const address = `192.0.2.${n}`
    for (let tries = 0; tries < LOGIN_POLICY.accountAtAddress.burst; tries++) await postLogin(world, name, "x", address)
    const variants = [name.toUpperCase(), name.replace("k", "\u212a"), name.replace("i", "\u0130")]
    const statuses = []
    for (const variant of variants) statuses.push((await postLogin(world, variant, "x", address)).status)
    seen.push(statuses)
  }
  expect(seen[0]).toEqual(seen[1])
  expect(seen[0]?.[0]).toBe(429)
})

test("An IPv6 site can try only a few times as many passwords as one address, across all its networks", async () => {
  const { burst } = LOGIN_POLICY.address
  // Without the cost of hashing: the limit is checked before it.
  const spray = async (addressOf: (n: number) => string) => {
    for (let n = 0; n < 10 * burst; n++) {
      const attempt = { account: `nobody-${crypto.randomUUID()}`, known: false }
      const refused = await takePasswordTry(authContextOf(world, addressOf(n)), attempt).catch(
        (error: unknown) => error,
      )
      if (refused instanceof TurnpikeError) return n
    }
    return "without end"
  }
  expect(await spray((n) => `2001:db8:9:${n.toString(16)}::1`)).toBe(2 * burst)
  expect(await spray((n) => `2001:db8:a:${(n << 8).toString(16)}::1`)).toBe(4 * burst)
  expect(await spray(() => "2001:db8:b:1::1")).toBe(burst)
})

test("A password link leads to a host of the account's own brand, wherever it was requested", async () => {
  const put = (brand: string, hosts: string[]) =>
    putBrand(authContextOf(world), { brand, hosts, keys: world.env.SECRETS_KEYS })
  await put("acme", ["app.acme.test", "acme.test"])
  await put("rival", ["rival.test"])
  const { userId, email } = await createPerson(world)
  await world.sql("update users set brand = 'acme' where user_id = $1", [userId])
  const linkAskedAt = async (host: string) => {
    emails.splice(0)
    const request = new Request(`https://${host}/api/auth/password-reset/start`, {
      method: "POST",
      headers: { "sec-fetch-site": "same-origin", "content-type": "application/json" },
      body: JSON.stringify({ email }),
    })
    expect((await world.invoke(request)).status).toBe(200)
    await world.settled()
    await world.advance(3_600_000)
    return emails.map(({ data }) => new URL(data.url ?? "").host)
  }
  expect(await linkAskedAt("acme.test")).toEqual(["acme.test"])
  expect(await linkAskedAt("rival.test")).toEqual(["app.acme.test"])
  expect(await linkAskedAt("api.test")).toEqual(["app.acme.test"])
  // A brand without a host has no known pages, and another brand's host is not used instead.
  await world.sql("update users set brand = 'homeless' where user_id = $1", [userId])
  expect(await linkAskedAt("rival.test")).toEqual([])
})

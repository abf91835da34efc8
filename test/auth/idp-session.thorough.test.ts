import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { askAuth, createPerson } from "../harness/auth.ts"
import { ORIGIN } from "../harness/dashboard.ts"
import { holdRows, untilBlocked, waitForLocks } from "../harness/locks.ts"
import { createWorld, type World } from "../harness/world.ts"

const PATH = "/api/auth/idp/session"
const SECRET = "a secret between two services"
const ISSUER = "https://id.partner.com"

let world: World
beforeAll(async () => {
  world = await createWorld()
  await waitForLocks(world)
})
afterAll(() => world.close())
beforeEach(() => world.rebind({ IDP_INTERNAL_SECRET: SECRET }))

let subjects = 0
const claimsOf = (more: object = {}) => ({ issuer: ISSUER, subject: `s${++subjects}`, ...more })

/** Calls with the identity service's headers. The service is not a browser. */
async function mint(body: unknown, headers: Record<string, string> = { "x-internal-secret": SECRET }, method = "POST") {
  const sent = { "content-type": "application/json", ...headers }
  const init = method === "GET" ? { headers } : { method, headers: sent, body: JSON.stringify(body) }
  return world.invoke(new Request(ORIGIN + PATH, init))
}

describe("The internal secret", () => {
  test("The correct secret gets a session for a new user, who is found again later", async () => {
    const claims = claimsOf({ email: "Ida@people.test", email_verified: true, name: "Ida" })
    const response = await mint(claims)
    const user = (await response.json()) as { user_id: number }
    expect([response.status, user]).toEqual([
      200,
      expect.objectContaining({
        email: "Ida@people.test",
        email_verified: true,
        name: "Ida",
        role: "user",
        brand: "turnpike",
      }),
    ])
    const [set = "", dropped] = response.headers.getSetCookie()
    expect(dropped).toMatch(/^acting=;/)
    expect(set).toMatch(/^token=[^;]+; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
    const me = await askAuth(world, "/api/account/me", { method: "GET", cookie: set.split(";")[0] as string })
    expect([me.status, me.answer.user.user_id, me.answer.balance.balance_usd]).toEqual([200, user.user_id, 0])
    expect(await (await mint(claims)).json()).toEqual(user)
  })

  test("The correct secret at a brand's host makes a user of that brand, whose session is valid at any host", async () => {
    const hosts = JSON.stringify([new URL(ORIGIN).host])
    await world.sql("insert into brands (brand, hosts, created_at, updated_at) values ('acme', $1, now(), now())", [
      hosts,
    ])
    const claims = claimsOf()
    expect(await (await mint(claims)).json()).toMatchObject({ brand: "acme" })
    await world.sql("delete from brands")
    expect(await (await mint(claims)).json()).toMatchObject({ brand: "acme" })
  })

  test("A wrong secret gets 401, and no row is written", async () => {
    const before = await world.sql("select count(*) from users")
    for (const given of [
      "x",
      SECRET.slice(1),
      `${SECRET}x`,
      SECRET.toUpperCase(),
      "",
      "undefined",
      "null",
      `Bearer ${SECRET}`,
    ]) {
      const response = await mint(claimsOf(), { "x-internal-secret": given })
      expect([response.status, ((await response.json()) as { code: string }).code], given).toEqual([
        401,
        "INVALID_INTERNAL_SECRET",
      ])
      expect(response.headers.get("set-cookie")).toBeNull()
      expect(response.headers.get("server-timing")).toContain('pg;dur=0.0;desc="calls=0"')
    }
    // The secret is checked before the body.
    expect((await mint({ wrong: true }, { "x-internal-secret": "x" })).status).toBe(401)
    expect(await world.sql("select count(*) from users")).toEqual(before)
  })

  test("A server without the secret is refused like one with a wrong secret, and pages of other sites are refused as usual", async () => {
    const refused = await mint(claimsOf(), {})
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([
      401,
      "INVALID_INTERNAL_SECRET",
    ])
    for (const headers of [
      { "sec-fetch-site": "cross-site" },
      { origin: "https://evil.com" },
      { "sec-fetch-site": "none" },
    ]) {
      expect((await mint(claimsOf(), headers as Record<string, string>)).status).toBe(403)
      // This applies even with the secret, because such a browser is not on our page.
      expect(
        (await mint(claimsOf(), { ...headers, "x-internal-secret": SECRET } as Record<string, string>)).status,
      ).toBe(403)
    }
    expect((await mint(claimsOf(), { "sec-fetch-site": "same-origin" })).status).toBe(401)
  })

  test("The secret opens no other operation", async () => {
    for (const path of ["/api/auth/logout", "/api/auth/app-token", "/api/auth/magic", "/api/account/keys"]) {
      const headers = { "x-internal-secret": SECRET, "content-type": "application/json" }
      const response = await world.invoke(new Request(ORIGIN + path, { method: "POST", headers, body: "{}" }))
      expect(response.status, path).toBe(403)
    }
  })

  test("Without a configured secret the path does not exist", async () => {
    for (const unset of [undefined, "", "  "]) {
      world.rebind({ IDP_INTERNAL_SECRET: unset })
      const requests: [string, Record<string, string>, string?][] = []
      for (const method of ["POST", "GET", "PUT", "DELETE", "PATCH"]) {
        for (const headers of [
          {},
          { "x-internal-secret": "" },
          { "x-internal-secret": "undefined" },
          { "x-internal-secret": SECRET, origin: ORIGIN },
          { "sec-fetch-site": "same-origin" },
          { "sec-fetch-site": "cross-site", "x-internal-secret": SECRET },
        ]) {
          for (const type of ["application/json", "text/plain"]) {
            requests.push([method, { ...(headers as Record<string, string>), "content-type": type }])
          }
        }
      }
      for (const [method, headers] of requests) {
        const seen = []
        for (const path of [PATH, "/api/auth/idp/nothing"]) {
          const body = method === "GET" ? {} : { body: JSON.stringify(claimsOf()) }
          const response = await world.invoke(new Request(ORIGIN + path, { method, headers, ...body }))
          const names = [...response.headers.keys()].sort()
          const text = (await response.text()).replaceAll(path, "PATH")
          seen.push({ status: response.status, names, text, allow: response.headers.get("allow") })
        }
        expect(seen[0], `${method} ${JSON.stringify(headers)}`).toEqual(seen[1])
        if (
          method === "POST" &&
          !headers.origin &&
          !headers["sec-fetch-site"] &&
          headers["content-type"] === "application/json"
        ) {
          expect(seen[0]?.status).toBe(404)
        }
      }
    }
  })
})

describe("Sessions for an identity provider", () => {
  test.each([
    {},
    { issuer: "", subject: "1" },
    { issuer: ISSUER },
    { issuer: ISSUER, subject: "" },
    { issuer: ISSUER, subject: "x".repeat(256) },
    { issuer: "messenger:turnpike", subject: "1" },
    { issuer: "MESSENGER:turnpike", subject: "1" },
    { issuer: ISSUER, subject: "1", email: "no email" },
    { issuer: ISSUER, subject: "1", email_verified: "true" },
    { issuer: ISSUER, subject: "1", email_verified: 1 },
    { issuer: ISSUER, subject: "1", role: "admin" },
    { issuer: ISSUER, subject: "1", user_id: 1 },
  ])("The body %j gets no session", async (body) => expect((await mint(body)).status).toBe(422))

  test("Admins and disabled users get no session: by identity, by email, or when the account becomes one", async () => {
    const refused = async (claims: object) => {
      const response = await mint(claims)
      expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([403, "LOGIN_REFUSED"])
      expect(response.headers.get("set-cookie")).toBeNull()
    }
    const admin = await createPerson(world, { role: "admin" })
    await refused(claimsOf({ email: admin.email, email_verified: true }))
    expect(
      await world.sql("select 1 from identities where user_id = $1", [admin.userId]),
      "the identity is not linked either",
    ).toEqual([])
    const claims = claimsOf()
    const { user_id } = (await (await mint(claims)).json()) as { user_id: number }
    await world.sql("update users set role = 'admin' where user_id = $1", [user_id])
    await refused(claims)
    await world.sql("update users set role = 'user', disabled_at = now() where user_id = $1", [user_id])
    await refused(claims)
    await world.sql("update users set disabled_at = null where user_id = $1", [user_id])
    expect((await mint(claims)).status).toBe(200)
    const blocked = await createPerson(world)
    await world.sql("update users set disabled_at = now() where user_id = $1", [blocked.userId])
    await refused(claimsOf({ email: blocked.email, email_verified: true }))
    expect(await world.sql("select 1 from identities where user_id = $1", [blocked.userId])).toEqual([])
  })

  test("Fifty concurrent first sign-ins of one subject make one user, with one wallet and one identity", async () => {
    const claims = claimsOf({ email: "many@people.test", email_verified: true })
    const answers = await Promise.all(Array.from({ length: 50 }, () => mint(claims)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    const ids = await Promise.all(answers.map(async (one) => ((await one.json()) as { user_id: number }).user_id))
    expect(new Set(ids).size).toBe(1)
    const [made] = await world.sql(
      `select (select count(*)::int from users where email = 'many@people.test') as users,
        (select count(*)::int from identities where subject = $1) as identities,
        (select count(*)::int from wallets where user_id = $2) as wallets`,
      [claims.subject, ids[0]],
    )
    expect(made).toEqual({ users: 1, identities: 1, wallets: 1 })
  })

  test("A sign-in whose identity is unlinked at that moment uses its account or a new one", async () => {
    for (let round = 0; round < 8; round++) {
      const { userId, email } = await createPerson(world)
      const claims = claimsOf({ email, email_verified: true })
      expect((await mint(claims)).status).toBe(200)
      await world.sql("update users set password_hash = 'scrypt$none', email_verified = false where user_id = $1", [
        userId,
      ])
      const browser = await world.signIn(userId)
      const [, { items }] = await browser.json("GET", "/api/account/identities")
      const unlink = () => browser.json("DELETE", `/api/account/identities/${items[0].identity_id}`)
      const [[unlinked], minted] = await Promise.all([unlink(), mint(claims)])
      expect([unlinked, minted.status]).toEqual([200, 200])
      const { user_id } = (await minted.json()) as { user_id: number }
      const left = await world.sql("select user_id::int from identities where subject = $1", [claims.subject])
      expect(left).toEqual(user_id === userId ? [] : [{ user_id }])
    }
  })

  test("Fifty concurrent subjects with one verified email make one user", async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        mint(claimsOf({ email: n % 2 ? "One@people.test" : "one@PEOPLE.test", email_verified: true })),
      ),
    )
    const ids = await Promise.all(answers.map(async (one) => ((await one.json()) as { user_id: number }).user_id))
    expect(new Set(ids).size).toBe(1)
    expect(
      (await world.sql("select 1 from users u where not exists (select 1 from wallets w where w.user_id = u.user_id)"))
        .length,
    ).toBe(0)
  })

  test("A sign-in joins the account that takes the email between lookup and creation", async () => {
    const { userId, email } = await createPerson(world)
    // The lookup waits for the row of the email's owner and finds that the owner gave the email up.
    // The new owner did not have it when the lookup began.
    const letGo = await holdRows(world, `select from users where user_id = ${userId} for update`, {
      last: `update users set email = 'moved-' || email where user_id = ${userId};
        insert into users (email, email_verified) values ('${email}', true)`,
    })
    const minted = mint(claimsOf({ email, email_verified: true }))
    await untilBlocked(world)
    await letGo()
    const response = await minted
    const [owner] = await world.sql<{ user_id: number }>("select user_id::int from users where email = $1", [email])
    expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ ...owner, email })])
  })
})

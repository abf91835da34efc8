import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createPerson, postLogin } from "../harness/auth.ts"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { parseCsv } from "../harness/csv.ts"
import { createBot, launchOf } from "../harness/messenger.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
let admin: Admin
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
})
afterAll(() => world.close())

const create = (body: object) => admin.json("POST", "/api/admin/users", body)
const put = (userId: number, body: object, headers = {}) =>
  admin.json("PUT", `/api/admin/users/${userId}`, body, headers)
const detail = async (userId: number) => (await admin.json("GET", `/api/admin/users/${userId}`))[1]
const idsOf = (items: { user_id: number }[]) => items.map(({ user_id }) => user_id)

describe("The list of users", () => {
  test("The list is newest first with pages and a total, and searches name, email, messenger id and id", async () => {
    const names = ["Grace Hopper", "100% _safe_", "=cmd()", null]
    const made: number[] = []
    for (const [n, name] of names.entries()) {
      const [, user] = await create({
        name,
        email: `List-${n}@List.test`,
        ...(n === 0 && { messenger_id: "77001234" }),
      })
      made.unshift(user.user_id)
    }
    const list = async (query: string) => (await admin.json("GET", `/api/admin/users?${query}`))[1]
    expect(idsOf((await list("limit=4")).items)).toEqual(made)
    const all = await list("")
    expect(all).toMatchObject({ limit: 50, offset: 0, total: all.items.length })
    const paged = await list("limit=2&offset=1")
    expect([idsOf(paged.items), paged.total]).toEqual([made.slice(1, 3), all.total])
    const found = async (q: string) => idsOf((await list(`q=${encodeURIComponent(q)}`)).items)
    const [none, formula, percent, grace] = made
    expect(await found("gRACE hop")).toEqual([grace])
    expect(await found("LIST-3@")).toEqual([none])
    expect(await found("7700123")).toEqual([grace])
    expect(await found("0% _")).toEqual([percent])
    expect(await found("%")).toEqual([percent])
    expect(await found("_")).toEqual([percent])
    expect(await found("=cmd")).toEqual([formula])
    expect(await found(String(none))).toContain(none)
    expect(await found("no such name")).toEqual([])
    const admins = await list("role=admin")
    expect(idsOf(admins.items)).toEqual([admin.userId])
    expect((await list("role=user")).total).toBe(all.total - 1)
  })

  test("The list shows active users, disabled users or both, also as CSV", async () => {
    const [[, gone], [, active]] = await Promise.all([
      create({ email: "gone@state.test" }),
      create({ email: "active@state.test" }),
    ])
    expect((await admin.json("PUT", `/api/admin/users/${gone.user_id}`, { disabled: true }))[0]).toBe(200)
    const found = async (query: string) => {
      const [, { items, total }] = await admin.json("GET", `/api/admin/users?q=@state.test${query}`)
      expect(total).toBe(items.length)
      return idsOf(items).sort()
    }
    expect(await found("&disabled=true")).toEqual([gone.user_id])
    expect(await found("&disabled=false")).toEqual([active.user_id])
    expect(await found("")).toEqual([gone.user_id, active.user_id].sort())
    expect((await admin.json("GET", "/api/admin/users?disabled=maybe"))[0]).toBe(422)
    const csv = await (await admin.call("GET", "/api/admin/users?q=@state.test&disabled=true&format=csv")).text()
    expect(csv.split("\r\n").filter((line) => line.includes("@state.test"))).toEqual([
      expect.stringContaining("gone@state.test"),
    ])
  })

  test("The list has a maximum of 2000 and refuses larger or unknown parameters", async () => {
    expect((await admin.json("GET", "/api/admin/users?limit=2000"))[0]).toBe(200)
    for (const query of ["limit=2001", "limit=0", "offset=-1", "sort=name", "limit=x"]) {
      expect((await admin.json("GET", `/api/admin/users?${query}`))[0], query).toBe(422)
    }
  })

  test("The CSV has the same filters and is harmless in a spreadsheet", async () => {
    const response = await admin.call("GET", "/api/admin/users?format=csv&q=list.test")
    expect(response.headers.get("content-type")).toMatch(/^text\/csv/)
    const text = await response.text()
    const marked = await admin.call("GET", "/api/admin/users?format=csv&q=list.test&bom=true")
    expect(new Uint8Array(await marked.arrayBuffer()).slice(0, 3)).toEqual(new Uint8Array([0xef, 0xbb, 0xbf]))
    const [header, ...rows] = parseCsv(text)
    expect(header?.slice(0, 3)).toEqual(["user_id", "name", "email"])
    expect(rows.map(([, name]) => name)).toEqual(["", "'=cmd()", "100% _safe_", "Grace Hopper"])
  })
})

describe("Creating a user", () => {
  test("A new account with an email and a password can sign in with them", async () => {
    const body = { email: "New@People.test", name: "New", password: "correct horse battery staple" }
    const response = await admin.call("POST", "/api/admin/users", body)
    const user = (await response.json()) as { user_id: number }
    expect([response.status, response.headers.get("etag")]).toEqual([200, '"1"'])
    expect(user).toMatchObject({
      email: "New@People.test",
      email_verified: false,
      role: "user",
      brand: "turnpike",
      has_password: true,
      balance_usd: 0,
      low_balance_usd: 1,
      end_user_daily_usd: null,
      disabled_at: null,
      messenger_id: null,
      version: 1,
      updated_by: admin.userId,
    })
    expect((await postLogin(world, "new@people.test", body.password)).answer.user_id).toBe(user.user_id)
  })

  test("A new account for a messaging id is used at that person's first sign-in", async () => {
    const bot = await createBot(world, "acme")
    const [, user] = await create({ messenger_id: "5150", brand: "acme" })
    expect(user).toMatchObject({ messenger_id: "5150", brand: "acme", email: null, has_password: false })
    const launch = { init_data: launchOf(world, bot, 5150) }
    const request = new Request(`https://${bot.host}/api/auth/messenger-webapp`, {
      method: "POST",
      headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" },
      body: JSON.stringify(launch),
    })
    expect(await (await world.invoke(request)).json()).toMatchObject({ user_id: user.user_id })
    expect(await create({ messenger_id: "5150", brand: "acme" })).toMatchObject([409, { code: "IDENTITY_TAKEN" }])
    expect((await create({ messenger_id: "5150" }))[0], "an id belongs to a brand's bot").toBe(200)
  })

  test("An email that is taken in any letter case, and a malformed email, are refused", async () => {
    await create({ email: "taken@people.test" })
    expect(await create({ email: "TAKEN@people.test" })).toMatchObject([409, { code: "EMAIL_TAKEN" }])
    const [, closed] = await create({ email: "closed@people.test" })
    await put(closed.user_id, { disabled: true })
    const details = { user_id: closed.user_id, disabled: true }
    const told = expect.stringContaining(`The disabled account ${closed.user_id} has this email.`)
    expect(await create({ email: "Closed@people.test" })).toMatchObject([409, { detail: told, details }])
    const [, later] = await create({ email: "later@people.test" })
    expect(await put(later.user_id, { email: "closed@people.test" })).toMatchObject([409, { detail: told, details }])
    expect(
      await admin.json("PUT", `/api/admin/users/${later.user_id}/credentials`, { email: "closed@people.test" }),
    ).toMatchObject([409, { detail: told, details }])
    expect((await put(closed.user_id, { email: null }))[0]).toBe(200)
    expect((await create({ email: "closed@people.test" }))[0]).toBe(200)
    const wrong: [object, string][] = [
      [{}, "email"],
      [{ name: "Nobody" }, "email"],
      [{ email: "no" }, "email"],
      [{ messenger_id: "x1" }, "messenger_id"],
      [{ messenger_id: "12", password: "long enough, really" }, "password"],
      [{ email: "a@b.test", password: "short" }, "password"],
      [{ email: "a@b.test", role: "owner" }, "role"],
      [{ email: "a@b.test", user_id: 7 }, "user_id"],
    ]
    for (const [body, field] of wrong) {
      const [status, { detail: faults }] = await create(body)
      expect([status, faults[0].loc.at(-1)], JSON.stringify(body)).toEqual([422, field])
    }
    expect((await create({ email: "a@b.test", brand: "nobodys" }))[0]).toBe(422)
    const twins = await Promise.all([1, 2, 3, 4].map(() => create({ email: "twin@people.test" })))
    expect(twins.map(([status]) => status).sort()).toEqual([200, 409, 409, 409])
  })
})

describe("Editing a user", () => {
  test("An edit changes the fields that are sent, null clears, and an edit without changes writes nothing", async () => {
    const [, { user_id: id }] = await create({ email: "edit@people.test", name: "Before", email_verified: true })
    const limits = { low_balance_usd: 2.5, end_user_daily_usd: 0.5, end_user_monthly_usd: 5 }
    const [, edited] = await put(id, { name: "After", ...limits })
    expect(edited).toMatchObject({
      name: "After",
      email: "edit@people.test",
      email_verified: true,
      ...limits,
      version: 2,
    })
    expect((await put(id, { name: "After", ...limits }))[1].version).toBe(2)
    expect((await put(id, {}))[1].version).toBe(2)
    expect((await put(id, { name: null, end_user_daily_usd: null }))[1]).toMatchObject({
      name: null,
      end_user_daily_usd: null,
      end_user_monthly_usd: 5,
      version: 3,
    })
    expect((await put(id, { email: "other@people.test" }))[1].email_verified, "a new email is not verified").toBe(false)
    expect((await put(id, { email_verified: true }))[1].email_verified).toBe(true)
    expect((await put(id, { email: null }))[1]).toMatchObject({ email: null, email_verified: false })
    const entries = await world.sql<{ before: object; after: object }>(
      "select before, after from audit_log where action = 'user.update' and subject_id = $1 order by audit_id",
      [String(id)],
    )
    expect(entries).toHaveLength(5)
    expect(entries[0]).toMatchObject({ before: { name: "Before" }, after: { name: "After", low_balance: 25_000_000 } })
  })

  test("An owner's change of their own limits counts as an edit for an admin's If-Match", async () => {
    const { userId } = await createPerson(world)
    const owner = await world.signIn(userId)
    const { version } = await detail(userId)
    await owner.json("PUT", "/api/account/limits", { end_user_daily_usd: 3 })
    expect(await put(userId, { end_user_daily_usd: 1 }, { "if-match": `"${version}"` })).toMatchObject([
      412,
      { code: "VERSION_MISMATCH", details: { current: { end_user_daily_usd: 3, version: version + 1 } } },
    ])
  })

  test("An edit refuses an unknown user, a taken email, an unknown brand and amounts out of bounds", async () => {
    const [a, b] = [await createPerson(world), await createPerson(world)]
    expect(await put(999_999_999, { name: "x" })).toMatchObject([404, { code: "NOT_FOUND" }])
    expect(await put(a.userId, { email: b.email.toUpperCase() })).toMatchObject([409, { code: "EMAIL_TAKEN" }])
    for (const body of [
      { brand: "nobodys" },
      { low_balance_usd: -1 },
      { end_user_daily_usd: 0.00000001 },
      { role: "x" },
    ]) {
      expect((await put(a.userId, body))[0], JSON.stringify(body)).toBe(422)
    }
    expect((await admin.json("PUT", "/api/admin/users/me", { name: "x" }))[0]).toBe(422)
    expect((await detail(a.userId)).version).toBe(1)
  })

  test("Disabling ends sessions and turns, enabling restores access, and both take effect at the next request", async () => {
    const client = await world.createAccount()
    const space = await client.space()
    const browser = await world.signIn(client.userId)
    await client.sendTurn({ space })
    const [status, disabled] = await put(client.userId, { disabled: true, name: "Off", reason: "Ticket 4711: spam" })
    expect([status, disabled.disabled_at !== null, disabled.name]).toEqual([200, true, "Off"])
    const noted = await world.sql(
      "select after ->> 'reason' as reason from audit_log where action = 'user.update' and subject_id = $1",
      [String(client.userId)],
    )
    expect(noted).toEqual([{ reason: "Ticket 4711: spam" }])
    expect((await browser.call("GET", "/api/account/me")).status).toBe(401)
    expect((await client.call("GET", "/v1/me")).status).toBe(401)
    await world.settled()
    expect(await world.sql("select state, status_reason from turns where user_id = $1", [client.userId])).toEqual([
      { state: "cancelled", status_reason: "account_disabled" },
    ])
    expect((await put(client.userId, { disabled: false }))[1].disabled_at).toBe(null)
    expect((await client.call("GET", "/v1/me")).status).toBe(200)
    expect((await browser.call("GET", "/api/account/me")).status).toBe(401)
  })

  test("The last admin stays an admin", async () => {
    for (const body of [{ role: "user" }, { disabled: true }, { role: "user", name: "Nobody" }]) {
      expect(await put(admin.userId, body)).toMatchObject([409, { code: "LAST_ADMIN" }])
    }
    expect(await detail(admin.userId)).toMatchObject({ role: "admin", name: "Ada", version: 1 })
    const { userId } = await createPerson(world, { role: "admin" })
    expect((await put(userId, { role: "user" }))[1].role).toBe("user")
  })
})

describe("A user's credentials", () => {
  const set = (userId: number, body: object) => admin.json("PUT", `/api/admin/users/${userId}/credentials`, body)

  test("New credentials set the login and end all sessions, and the password is shown nowhere", async () => {
    const { userId, email } = await createPerson(world, { password: "the former password" })
    const browser = await world.signIn(userId)
    const [status, answer] = await set(userId, { email: `new-${email}`, password: "canary of a password" })
    expect([status, answer]).toMatchObject([200, { email: `new-${email}`, has_password: true, email_verified: false }])
    expect(JSON.stringify(answer)).not.toMatch(/canary|scrypt/)
    expect((await browser.call("GET", "/api/account/me")).status).toBe(401)
    expect((await postLogin(world, email, "the former password")).status).toBe(401)
    expect((await postLogin(world, `new-${email}`, "canary of a password")).status).toBe(200)
    const entries = await world.sql("select * from audit_log where action = 'user.credentials'")
    expect(JSON.stringify(entries)).not.toMatch(/canary|scrypt/)
    expect(entries).toMatchObject([{ after: { email: `new-${email}`, has_password: true, password_changed: true } }])
  })

  test("Credentials need an unused email, and at least an email or a password", async () => {
    const { userId, email } = await createPerson(world)
    const [, { user_id: without }] = await create({ messenger_id: "123456" })
    expect(await set(without, { password: "long enough, really" })).toMatchObject([409, { code: "EMAIL_REQUIRED" }])
    expect(await set(without, { email })).toMatchObject([409, { code: "EMAIL_TAKEN" }])
    expect((await set(userId, {}))[0]).toBe(422)
    expect(await set(999_999_999, { email: "x@y.test" })).toMatchObject([404, { code: "NOT_FOUND" }])
    const browser = await world.signIn(userId)
    expect((await set(userId, { email }))[0]).toBe(200)
    expect((await browser.call("GET", "/api/account/me")).status).toBe(401)
  })
})

test("All sessions of a user can be ended, and the answer has their number", async () => {
  const { userId } = await createPerson(world)
  const browsers = [await world.signIn(userId), await world.signIn(userId)]
  const end = (id: number) => admin.json("DELETE", `/api/admin/users/${id}/sessions`)
  expect(await end(userId)).toEqual([200, { ended: 2 }])
  for (const browser of browsers) expect((await browser.call("GET", "/api/account/me")).status).toBe(401)
  expect(await end(userId)).toEqual([200, { ended: 0 }])
  expect(await end(999_999_999)).toMatchObject([404, { code: "NOT_FOUND" }])
})

import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { actingFor, addMember } from "../harness/account-people.ts"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { parseCsv } from "../harness/csv.ts"
import { SPACES, shareSpace } from "../harness/shared-space.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

const ACTIVITY = "/api/account/activity"

let world: World
let admin: Admin
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
})
afterAll(() => world.close())

/** Sends a change, which must succeed. */
async function change(client: TestClient, method: string, path: string, body?: object) {
  const answer = await client.call(method, path, body, { "Idempotency-Key": crypto.randomUUID() })
  const text = await answer.text()
  expect(answer.status, `${method} ${path}: ${text}`).toBeLessThan(300)
  return JSON.parse(text || "{}") as { webhook_id: string }
}

type Browser = Awaited<ReturnType<World["signIn"]>>

async function arrange() {
  const { userId } = await world.createAccount({ usd: 5 })
  const { key_id: keyId, value } = await world.makeKey(userId, { scope: "all" })
  return { keyId, client: world.createClient(userId, value), browser: await world.signIn(userId) }
}

async function entriesOf(browser: Browser, query = "") {
  const [status, { items }] = await browser.json("GET", `${ACTIVITY}?limit=100${query}`)
  expect(status).toBe(200)
  return items as { action: string; subject_id: string; key_id: string; before: object | null; after: object | null }[]
}

describe("The activity of an account", () => {
  test("A change of a key's caps has the facts before and after, in USD", async () => {
    const { browser } = await arrange()
    const [, key] = await browser.json("POST", "/api/account/keys", { name: "Server", caps: { daily_usd: 5 } })
    await browser.json("PATCH", `/api/account/keys/${key.key_id}`, { caps: { daily_usd: 20 } })
    const [updated, created] = await entriesOf(browser, `&subject_id=${key.key_id}`)
    expect(created).toMatchObject({ action: "key.create", by: "owner", before: null, after: { daily_usd: 5 } })
    expect(updated).toMatchObject({
      action: "key.update",
      by: "owner",
      name: null,
      key_id: null,
      before: { daily_usd: 5 },
      after: { daily_usd: 20 },
    })
  })

  test("Each kind of change by an API key is one entry that names the key", async () => {
    const { keyId, client, browser } = await arrange()
    const slug = await client.space({ title: "Support" })
    const space = `/v1/spaces/${slug}`
    const customer = "/v1/end-users/customer-1"
    const hook = { url: "https://receiver.customer.com/hook", description: "Main" }
    const { webhook_id } = await change(client, "POST", "/v1/webhooks", hook)
    const changes: [action: string, subject: string, method: string, path: string, body?: object][] = [
      ["space.update", slug, "PATCH", space, { title: "Sales" }],
      ["space.config", slug, "PUT", `${space}/manifest`, { instructions: "Be short." }],
      ["space.config", slug, "PUT", `${space}/secrets/TOKEN`, { value: "canary-secret" }],
      ["space.retention", slug, "PUT", `${space}/retention`, { text_days: 30 }],
      ["price.put", "gold", "PUT", "/v1/prices/gold", { multiplier: 1.5, per_turn_usd: 0.01 }],
      ["end_user.limits", "customer-1", "PUT", `${customer}/limits`, { daily_usd: 1 }],
      ["end_user.billing", "customer-1", "PUT", `${customer}/billing`, { price: "gold" }],
      ["end_user.credit", "customer-1", "POST", `${customer}/credits`, { amount_usd: 2, note: "Order 7" }],
      ["end_user_defaults.put", "account", "PUT", "/v1/end-user-defaults", { price: "gold", prepaid: null }],
      ["webhook.update", webhook_id, "PATCH", `/v1/webhooks/${webhook_id}`, { description: "Second" }],
      ["webhook.rotate", webhook_id, "POST", `/v1/webhooks/${webhook_id}/rotate-secret`, {}],
      ["webhook.delete", webhook_id, "DELETE", `/v1/webhooks/${webhook_id}`],
      ["space.archive", slug, "DELETE", space],
    ]
    for (const [, , method, path, body] of changes) await change(client, method, path, body)
    const entries = await entriesOf(browser, "&by=key")
    expect(entries.map(({ action, subject_id }) => [action, subject_id])).toEqual(
      [
        ["space.create", slug],
        ["webhook.create", webhook_id],
        ...changes.map(([action, subject]) => [action, subject]),
      ].reverse(),
    )
    expect(new Set(entries.map((entry) => entry.key_id))).toEqual(new Set([keyId]))
    const of = (action: string) => entries.find((entry) => entry.action === action)
    expect(of("price.put")).toMatchObject({ before: null, after: { multiplier: 1.5, per_turn_usd: 0.01 } })
    expect(of("end_user.limits")).toMatchObject({ before: null, after: { daily_usd: 1, blocked: false } })
    expect(of("end_user.credit")?.after).toMatchObject({ amount_usd: 2, test: false })
    expect(JSON.stringify(of("end_user.credit"))).not.toContain("Order 7")
    expect(of("space.update")).toMatchObject({ before: { title: "Support" }, after: { title: "Sales" } })
    expect(JSON.stringify(entries)).not.toMatch(/canary|micros|millionths|whsec/)
  })

  test("A change to the same values is no entry", async () => {
    const { client, browser } = await arrange()
    for (let n = 0; n < 2; n++) {
      await change(client, "PUT", "/v1/prices/gold", { multiplier: 1.5 })
      await change(client, "PUT", "/v1/end-users/customer-1/limits", { daily_usd: 1 })
    }
    expect(
      (await entriesOf(browser)).map(({ action }) => action).filter((action) => action !== "user.sign_in"),
    ).toEqual(["end_user.limits", "price.put"])
  })

  test("The owner sees that an operator credited the account, but not the operator or their facts", async () => {
    const { client, browser } = await arrange()
    const reason = { amount_usd: 3, reason: "admin_grant", note: "canary-ticket" }
    const credit = await admin.call("POST", `/api/admin/users/${client.userId}/credits`, reason, {
      "Idempotency-Key": crypto.randomUUID(),
    })
    expect(credit.status, await credit.clone().text()).toBeLessThan(300)
    const [entry] = await entriesOf(browser, "&by=operator")
    expect(entry).toMatchObject({ action: "user.credit", by: "operator", name: null, before: null, after: null })
    expect(JSON.stringify(await entriesOf(browser))).not.toContain("canary")
  })

  test("A change by a person of a shared space is in the activity of its owner, and not in the person's own", async () => {
    const { owner, people, space } = await shareSpace(world, "activity")
    const { browser: other } = await arrange()
    const { admin: person } = people
    const path = `${SPACES}/${space}`
    const acts: [action: string, method: string, path: string, body?: object][] = [
      ["space.update", "PATCH", path, { title: "Renamed" }],
      ["space.config", "PUT", `${path}/manifest`, { instructions: "Be short." }],
      ["space.retention", "PUT", `${path}/retention`, { text_days: 30 }],
      ["space.archive", "DELETE", path],
    ]
    for (const [action, method, at, body] of acts) {
      const [status, answer] = await person.json(method, at, body)
      expect(status, `${action}: ${JSON.stringify(answer)}`).toBeLessThan(300)
    }
    const entries = await entriesOf(owner, `&subject_id=${space}&by=member`)
    expect(entries.map(({ action }) => action)).toEqual(acts.map(([action]) => action).reverse())
    for (const entry of entries) {
      expect(entry).toMatchObject({
        by: "member",
        member_id: person.userId,
        role: null,
        name: "Somebody",
        address: null,
      })
    }
    expect(entries.at(-1)).toMatchObject({ before: { title: "Shared" }, after: { title: "Renamed" } })
    for (const without of [person, people.member, other]) {
      expect(await entriesOf(without, `&subject_id=${space}`)).toEqual([])
    }
  })

  test("People of an operator's own account do not see the lists that the operator exports of the installation", async () => {
    const ben = await world.signIn(await addMember(world, admin.userId, "owner"))
    for (const path of ["/api/admin/users", ACTIVITY]) {
      const file = await admin.call("GET", `${path}?format=csv`)
      expect(file.status, path).toBe(200)
      await file.text()
    }
    const people = [admin, actingFor(ben, admin.userId)]
    for (const person of people) {
      const [, { items }] = await person.json("GET", `${ACTIVITY}?action=export`)
      expect(items.map(({ subject_id }: { subject_id: string }) => subject_id)).toEqual(["activity"])
    }
    const [, { items }] = await admin.json("GET", "/api/admin/audit?action=export")
    const of = items.filter((one: { subject_id: string }) => one.subject_id === "users")
    expect(of).toMatchObject([{ actor_user_id: admin.userId }])
  })

  test("Another account sees nothing of it, and the CSV has the same entries", async () => {
    const { client, browser } = await arrange()
    const other = await arrange()
    await change(client, "PUT", "/v1/prices/gold", { multiplier: 2 })
    expect((await entriesOf(other.browser, "&action=price.put")).length).toBe(0)
    const csv = await browser.call("GET", `${ACTIVITY}?format=csv&action=price.put`)
    const rows = parseCsv(await csv.text())
    expect(rows).toEqual([
      expect.arrayContaining(["action", "subject_id"]),
      expect.arrayContaining(["price.put", "gold", "key"]),
    ])
  })
})

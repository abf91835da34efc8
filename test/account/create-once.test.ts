import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { signInAdmin } from "../harness/books.ts"
import { createWorld, type World } from "../harness/world.ts"

const KEYS = "/api/account/keys"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

async function createOwner() {
  const client = await world.createAccount()
  const browser = await world.signIn(client.userId)
  const send = async (path: string, body: object, key: string) => {
    const response = await browser.call("POST", path, body, { "idempotency-key": key })
    // biome-ignore lint/suspicious/noExplicitAny: each operation answers its own shape
    const answer = (await response.json()) as any
    return { status: response.status, replayed: response.headers.get("idempotent-replayed"), body: answer }
  }
  const names = async () => {
    const [, { items }] = await browser.json("GET", KEYS)
    return items.map(({ name }: { name: string }) => name)
  }
  return { client, browser, send, names }
}

describe("A repeated request for an API key", () => {
  test("A repeat after a lost answer shows the value of the only key", async () => {
    const { client, send, names } = await createOwner()
    const first = await send(KEYS, { name: "Server" }, "form-1")
    const second = await send(KEYS, { name: "Server" }, "form-1")
    expect([first.status, first.replayed, second.status, second.replayed]).toEqual([201, null, 201, "true"])
    expect(second.body).toEqual(first.body)
    expect((await names()).filter((name: string) => name === "Server")).toHaveLength(1)
    const used = await world.createClient(client.userId, second.body.value).call("GET", "/v1/me")
    expect(used.status).toBe(200)
  })

  test("Requests with the same key at the same time create one API key", async () => {
    const { send, names } = await createOwner()
    const answers = await Promise.all(Array.from({ length: 4 }, () => send(KEYS, { name: "At once" }, "form-2")))
    expect(new Set(answers.map(({ body }) => body.value)).size).toBe(1)
    expect((await names()).filter((name: string) => name === "At once")).toHaveLength(1)
  })

  test("Another request under the same key is refused", async () => {
    const { send } = await createOwner()
    await send(KEYS, { name: "One" }, "form-3")
    const other = await send(KEYS, { name: "Two" }, "form-3")
    expect([other.status, other.body.detail[0].type]).toEqual([422, "idempotency_key_reused"])
  })

  test("Two accounts that use the same key get different values", async () => {
    const [ada, ben] = [await createOwner(), await createOwner()]
    const values = [await ada.send(KEYS, { name: "Same" }, "form-4"), await ben.send(KEYS, { name: "Same" }, "form-4")]
    expect(new Set(values.map(({ body }) => body.value)).size).toBe(2)
  })

  test("A repeated rotation shows the value of the first one, and a repeat after a later rotation shows none", async () => {
    const { send } = await createOwner()
    const made = await send(KEYS, { name: "Rotated" }, "form-5")
    const path = `${KEYS}/${made.body.key_id}/rotate`
    const first = await send(path, {}, "rotation-1")
    const second = await send(path, {}, "rotation-1")
    expect([second.replayed, second.body.value]).toEqual(["true", first.body.value])
    expect(first.body.value).not.toBe(made.body.value)
    const late = await send(KEYS, { name: "Rotated" }, "form-5")
    expect([late.status, late.body.detail[0].type]).toEqual([422, "idempotency_key_reused"])
  })
})

describe("A repeated request of an operator", () => {
  test.each([
    ["/api/admin/teams", { name: "Night shift" }, "team_id"],
    ["/api/admin/workspaces", { workspace_id: "night-shift", name: "Night shift" }, "workspace_id"],
    ["/api/admin/users", { email: "night@shift.test", name: "Night" }, "user_id"],
  ])("A repeat at %s returns what the first request created", async (path, body, id) => {
    const admin = await signInAdmin(world)
    const [first, second] = [
      await admin.call("POST", path, body, { "idempotency-key": "night" }),
      await admin.call("POST", path, body, { "idempotency-key": "night" }),
    ]
    expect([first.status, second.status, second.headers.get("idempotent-replayed")]).toEqual([200, 200, "true"])
    const made = [await first.json(), await second.json()] as Record<string, unknown>[]
    expect(made[1]?.[id]).toBe(made[0]?.[id])
    const other = await admin.call("POST", path, { ...body, name: "Other" }, { "idempotency-key": "night" })
    expect(other.status).toBe(422)
  })
})

describe("A list by ids", () => {
  test("Spaces and keys are found by their ids, and unknown ids are left out", async () => {
    const { browser, client } = await createOwner()
    const spaces = [
      await client.space({ title: "First" }),
      await client.space({ title: "Second" }),
      await client.space({}),
    ]
    const query = [...spaces.slice(0, 2), "spc_unknown"].map((space) => `space=${space}`).join("&")
    const [, found] = await browser.json("GET", `/api/account/spaces?${query}`)
    expect(found.items.map(({ title }: { title: string }) => title).sort()).toEqual(["First", "Second"])
    const made = []
    for (const name of ["Alpha", "Beta"]) made.push((await browser.json("POST", KEYS, { name }))[1].key_id)
    const [, keys] = await browser.json("GET", `${KEYS}?key=${made[0]}&key=key_unknown`)
    expect(keys.items.map(({ name }: { name: string }) => name)).toEqual(["Alpha"])
    const [, named] = await browser.json("GET", `${KEYS}?q=bET`)
    expect(named.items.map(({ name }: { name: string }) => name)).toEqual(["Beta"])
  })
})

import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { callOne } from "../../src/platform/db.ts"
import { type AccountWithPeople, createAccountWithPeople, KEYS } from "../harness/account-people.ts"
import { authContextOf } from "../harness/auth.ts"
import { serveReceiver } from "../harness/receiver.ts"
import { createWorld, type World } from "../harness/world.ts"

const TYPE = "account.locked"
const WEBHOOKS = "/api/account/webhooks"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

type Caller = Pick<AccountWithPeople["owner"], "json">

/** Tells an account's own user that its sign-in is locked, and lets the webhooks get it. */
async function tell(user_id: number) {
  const args = { user_id, address: "203.0.113.7", moment: world.clock.now() }
  await callOne(authContextOf(world).db, "tell_locked", args)
  await told()
}

async function told() {
  await world.sweep()
  await world.drain()
}

async function makeKey(person: Caller, account: number) {
  const [status, { value }] = await person.json("POST", KEYS, { name: "Server", scope: "all" })
  expect(status).toBe(201)
  return world.createClient(account, value)
}

/** Registers a webhook for all types. Returns its id and its receiver. */
async function makeHook(call: (path: string, body: object) => Promise<{ webhook_id: string }>, path = WEBHOOKS) {
  const receiver = serveReceiver(world)
  const { webhook_id } = await call(path, { url: receiver.url })
  expect(webhook_id).toMatch(/^whk_/)
  await world.drain()
  return { id: webhook_id, receiver, isTold: () => receiver.types().includes(TYPE) }
}

const hookOf = (person: Caller) => makeHook(async (path, body) => (await person.json("POST", path, body))[1])

const hookOfKey = (client: Awaited<ReturnType<typeof makeKey>>) =>
  makeHook(async (path, body) => (await client.call("POST", path, body)).json(), "/v1/webhooks")

const handOver = async ({ owner }: AccountWithPeople, user_id: number) =>
  expect((await owner.json("POST", "/api/account/transfer", { user_id, role: "developer" }))[0]).toBe(200)

describe("The sign-ins of an account's own user", () => {
  test("Only a key that this user made reads them, and none after the account was handed over", async () => {
    const people = await createAccountWithPeople(world)
    const account = people.client.userId
    const [ben, cleo] = [await people.member("developer"), await people.member("owner")]
    const own = await makeKey(people.owner, account)
    const others = [await makeKey(ben, account), await makeKey(cleo, account)]
    await tell(account)
    const read = async (client: typeof own) => {
      const response = await client.call("GET", `/v1/events?type=${TYPE}`)
      return ((await response.json()) as { data: { id: string }[] }).data
    }
    const [event] = await read(own)
    expect(event).toMatchObject({ data: { address: "203.0.113.7" } })
    for (const other of others) {
      expect(await read(other)).toEqual([])
      expect((await other.call("GET", `/v1/events/${event?.id}`)).status).toBe(404)
    }
    await handOver(people, cleo.userId)
    expect(await read(own)).toEqual([])
  })

  test("Only a webhook that this user or the user's key made gets them, also in a replay", async () => {
    const people = await createAccountWithPeople(world)
    const account = people.client.userId
    const [ben, cleo] = [await people.member("developer"), await people.member("owner")]
    const own = [await hookOf(people.owner), await hookOfKey(await makeKey(people.owner, account))]
    const others = [await hookOf(ben), await hookOfKey(await makeKey(ben, account)), await hookOf(cleo)]
    await tell(account)
    expect(own.map(({ isTold }) => isTold())).toEqual([true, true])
    const period = { from: "2020-01-01T00:00:00Z", include_delivered: true, events: [TYPE] }
    for (const { id, isTold } of others) {
      expect(await ben.json("POST", `${WEBHOOKS}/${id}/replay`, period)).toMatchObject([202, { replayed: 0 }])
      await told()
      expect(isTold()).toBe(false)
    }
    expect(await ben.json("POST", `${WEBHOOKS}/${own[0]?.id}/replay`, period)).toMatchObject([202, { replayed: 1 }])
  })

  test("A webhook of this user gets no more of them once a member has changed its URL, also none that was due", async () => {
    const people = await createAccountWithPeople(world)
    const account = people.client.userId
    const ben = await people.member("developer")
    const { id, receiver } = await hookOf(people.owner)
    await tell(account)
    receiver.answer = () => new Response(null, { status: 500 })
    await tell(account)
    const listed = async (state: string) =>
      (await ben.json("GET", `${WEBHOOKS}/${id}/deliveries?event_type=${TYPE}&state=${state}`))[1].items
    const [delivered] = await listed("delivered")
    expect(await listed("pending")).toHaveLength(1)
    const other = serveReceiver(world)
    expect((await ben.json("PATCH", `${WEBHOOKS}/${id}`, { url: other.url }))[0]).toBe(200)
    await world.drain()
    expect((await ben.json("POST", `/api/account/deliveries/${delivered.delivery_id}/redeliver`))[0]).toBe(404)
    await world.advance(60_000)
    await tell(account)
    await ben.json("POST", KEYS, { name: "Server", scope: "all" })
    await told()
    expect(other.types()).toContain("key.created")
    expect(other.types()).not.toContain(TYPE)
    expect([await listed("pending"), await listed("failed")]).toEqual([[], []])
    receiver.answer = () => new Response(null, { status: 204 })
    expect((await people.owner.json("PATCH", `${WEBHOOKS}/${id}`, { url: receiver.url }))[0]).toBe(200)
    await world.drain()
    const before = receiver.types().filter((type) => type === TYPE).length
    await tell(account)
    expect(receiver.types().filter((type) => type === TYPE)).toHaveLength(before + 1)
  })

  test("A webhook of this user gets none after the account was handed over", async () => {
    const people = await createAccountWithPeople(world)
    const ben = await people.member("developer")
    const { isTold } = await hookOf(people.owner)
    await handOver(people, ben.userId)
    await tell(people.client.userId)
    expect(isTold()).toBe(false)
  })
})

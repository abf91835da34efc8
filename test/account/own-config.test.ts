import { afterAll, beforeAll, expect, test } from "vitest"
import { orderTool, serveCustomer } from "../harness/customer.ts"
import { type Session, type Shared, SPACES, shareSpace } from "../harness/shared-space.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
let shared: Shared
let customer: ReturnType<typeof serveCustomer>
beforeAll(async () => {
  world = await createWorld()
  customer = serveCustomer(world)
  shared = await shareSpace(world, "own config")
})
afterAll(() => world.close())

const { name, ...definition } = orderTool()

/** Every change of a space's configuration, and the tests of tools and servers. */
const changes = (space: string): [string, string, object | undefined][] => [
  ["PUT", `${SPACES}/${space}/secrets/TOKEN`, { value: "s3cret" }],
  ["PUT", `${SPACES}/${space}/tools/${name}`, definition],
  ["PUT", `${SPACES}/${space}/mcp-servers/docs`, { url: "https://api.customer.com/mcp" }],
  ["PUT", `${SPACES}/${space}/manifest`, { instructions: "Be kind." }],
  ["POST", `${SPACES}/${space}/tools/${name}/test`, { input: { id: "A-1" } }],
  ["POST", `${SPACES}/${space}/mcp-servers/docs/check`, undefined],
  ["DELETE", `${SPACES}/${space}/mcp-servers/docs`, undefined],
  ["DELETE", `${SPACES}/${space}/tools/${name}`, undefined],
  ["DELETE", `${SPACES}/${space}/secrets/TOKEN`, undefined],
]
const READS = [
  "manifest",
  "tools",
  `tools/${name}`,
  "mcp-servers",
  "mcp-servers/docs",
  "secrets",
  "versions",
  "versions/1",
]

async function configure(browser: Session, space: string) {
  for (const [method, path, body] of changes(space).slice(0, 4)) {
    expect((await browser.json(method, path, body))[0], path).toBe(200)
  }
}

test("The owner and admins of a shared space change and test its configuration, members read it, others get 404", async () => {
  const { owner, people, stranger, space } = shared
  await configure(owner, space)
  for (const browser of [people.member, people.team, people.guest]) {
    for (const path of READS) {
      const response = await browser.call("GET", `${SPACES}/${space}/${path}`)
      expect(response.status, path).toBe(200)
      expect(await response.text(), path).not.toContain("s3cret")
    }
    const asked = customer.requests.length
    for (const [method, path, body] of changes(space)) {
      const refused = await browser.json(method, path, body)
      expect(refused, `${method} ${path}`).toMatchObject([403, { code: "SPACE_ROLE_REQUIRED" }])
    }
    expect(customer.requests).toHaveLength(asked)
  }
  for (const [method, path, body] of changes(space)) {
    expect(await stranger.json(method, path, body), path).toMatchObject([404, { code: "NOT_FOUND" }])
  }
  for (const path of READS) expect((await stranger.json("GET", `${SPACES}/${space}/${path}`))[0], path).toBe(404)
  for (const [method, path, body] of changes(space)) {
    expect((await people.admin.json(method, path, body))[0], `${method} ${path}`).toBe(200)
  }
})

test("Versions show their changes, and their list continues with a cursor", async () => {
  const { client } = await shareSpace(world, "versions")
  const browser = await world.signIn(client.userId)
  const [, { space_id: space }] = await browser.json("POST", SPACES, { title: "Mine" })
  await configure(browser, space)
  const versions = `${SPACES}/${space}/versions`
  const [, first] = await browser.json("GET", `${versions}?limit=2`)
  expect(first).toMatchObject({ data: [{ change: "manifest" }, { change: "mcp-servers/docs" }], has_more: true })
  const [, rest] = await browser.json("GET", `${versions}?limit=3&cursor=${first.next_cursor}`)
  expect(rest.data.map(({ change }: { change: string }) => change)).toEqual([
    `tools/${name}`,
    "secrets/TOKEN",
    "created",
  ])
  const [now, then] = [first.data[0].version, rest.data[2].version]
  expect((await browser.json("GET", `${versions}/${now}`))[1]).toMatchObject({ tools: [{ name }] })
  expect((await browser.json("GET", `${versions}/${then}`))[1]).toMatchObject({ tools: [], mcp_servers: [] })
  expect((await browser.json("GET", `${versions}/99`))[1].code).toBe("NOT_FOUND")
})

test("A tool test shows request and response without the secret", async () => {
  const client = await world.createAccount()
  const browser = await world.signIn(client.userId)
  const [, { space_id: space }] = await browser.json("POST", SPACES, { title: "Mine" })
  await configure(browser, space)
  const trial = `${SPACES}/${space}/tools/${name}/test`
  const response = await browser.call("POST", trial, { input: { id: "A-1" } }, { "idempotency-key": "trial-1" })
  const text = await response.text()
  expect([response.status, text.includes("shipped"), text.includes("s3cret")]).toEqual([200, true, false])
  expect(customer.requests.at(-1)?.headers).toMatchObject({
    "idempotency-key": "trial-1",
    authorization: "Bearer s3cret",
  })
  const wrong = await browser.json("PUT", `${SPACES}/${space}/tools/${name}`, { ...definition, name: "other" })
  expect(wrong[0]).toBe(422)
})

test("The owner searches, pages, caps, blocks and exports end users, live and test", async () => {
  const { userId } = await world.createAccount({ usd: 10 })
  const browser = await world.signIn(userId)
  const client = world.createClient(userId, (await world.makeKey(userId, { scope: "all" })).value)
  const space = await client.space()
  for (const end_user_ref of ["Shop-1", "shop-2", "100%"]) {
    await world.advance(1000)
    await client.runTurn({ space, end_user_ref, text: "[write made.txt hello]" })
  }
  const END_USERS = "/api/account/end-users"
  const found = async (query: string) => {
    const [status, { data }] = await browser.json("GET", `${END_USERS}?${query}`)
    return [status, data?.map((one: { end_user_ref: string }) => one.end_user_ref)]
  }
  expect(await found("")).toEqual([200, ["100%", "shop-2", "Shop-1"]])
  expect(await found("q=SHOP")).toEqual([200, ["shop-2", "Shop-1"]])
  expect(await found("q=%25")).toEqual([200, ["100%"]])
  expect(await found("q=_")).toEqual([200, []])
  expect(await found("test=true")).toEqual([200, []])
  const [, page] = await browser.json("GET", `${END_USERS}?q=shop&limit=1`)
  expect(await found(`q=shop&limit=1&cursor=${page.next_cursor}`)).toEqual([200, ["Shop-1"]])
  const refused = await browser.json("GET", `${END_USERS}?limit=1&cursor=${page.next_cursor}`)
  expect(refused[0], "a cursor of another search").toBe(422)

  const [, capped] = await browser.json("PUT", `${END_USERS}/shop-2/limits`, { daily_usd: 1, blocked: true })
  expect(capped).toMatchObject({ turns: 1, limits: { daily_usd: 1, blocked: true } })
  expect(capped.caps).toMatchObject([{ cap: "end_user_daily", source: "end_user", limit_usd: 1 }])
  expect((await browser.json("GET", `${END_USERS}/shop-2`))[1]).toEqual(capped)
  expect(await found("blocked=true")).toEqual([200, ["shop-2"]])
  expect(await (await client.sendTurn({ space, end_user_ref: "shop-2" })).json()).toMatchObject({
    error: { code: "END_USER_BLOCKED" },
  })
  const [, exported] = await browser.json("GET", `${END_USERS}/Shop-1/export`)
  const [file] = exported.turns[0].file_details
  expect(await (await browser.call("GET", file.content)).text()).toBe("hello")
})

test("A session reads the event feed and models of its mode", async () => {
  const client = await world.createAccount()
  const browser = await world.signIn(client.userId)
  const { turn_id } = await client.runTurn({ space: await client.space() })
  const [, events] = await browser.json("GET", "/api/account/events?limit=2")
  const [, rest] = await browser.json("GET", `/api/account/events?cursor=${events.next_cursor}`)
  const all = [...events.data, ...rest.data] as { type: string; data: object }[]
  // Events of the same millisecond have no defined order when the newest come first.
  expect(all.map(({ type }) => type).sort()).toEqual(["turn.done", "turn.queued", "turn.running"])
  for (const { data } of all) expect(data).toMatchObject({ turn: { turn_id } })
  expect((await browser.json("GET", "/api/account/events?type=balance.low"))[1].data).toEqual([])
  expect((await browser.json("GET", "/api/account/events?test=true"))[1].data).toEqual([])
  const pins = async (query: string) =>
    (await browser.json("GET", `/api/account/models${query}`))[1].data.map(({ pin }: { pin: string }) => pin)
  const listed = (await (await client.call("GET", "/v1/models")).json()) as { data: { pin: string }[] }
  expect(await pins("")).toEqual(listed.data.map(({ pin }) => pin))
  expect(await pins("?test=true")).toEqual(["rehearsal/standard"])
})

test("An owner's energy report equals the report that admins see", async () => {
  const { admin, client } = await shareSpace(world, "energy")
  const browser = await world.signIn(client.userId)
  await client.runTurn({ space: await client.space() })
  const [, own] = await browser.json("GET", "/api/account/energy?days=7")
  const [, seen] = await admin.json("GET", `/api/admin/users/${client.userId}/energy?days=7`)
  const { user_id: _user, ledger: _ledger, ...same } = seen
  expect(own).toEqual(same)
  expect([own.days.length, own.totals.free > own.balance_energy]).toEqual([7, true])
  expect((await browser.json("GET", "/api/account/energy?days=366"))[0]).toBe(422)
})

import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { makeWorkspace } from "../harness/admin-groups.ts"
import { type AdminEstate, createAdminEstate } from "../harness/admin-requests.ts"
import type { OpenApi } from "../harness/declared.ts"
import { fillEstate, fullCallOf, inGentleOrder, serveFullEstates } from "../harness/full-estate.ts"
import { v1Operations } from "../harness/operations.ts"
import { createOwnerEstate, type OwnerEstate, ownerCallOf, ownerOperations } from "../harness/owner-calls.ts"
import { type CallerName, createMatrix, type Matrix, type PlaceName } from "../harness/scope-matrix.ts"
import { expectSight, mergeSights, sightOf, sightsOf } from "../harness/seen-by.ts"
import { staticFile } from "../harness/served.ts"
import type { Session } from "../harness/shared-space.ts"
import { UNDOCUMENTED } from "../harness/shown-fields.ts"
import { ACTING_SIGHT, keySight, MEMBER_SIGHT, WORKSPACE_ADMIN_SIGHT } from "../harness/sights.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

const documentAt = async (path: string) => (await (await staticFile(path)).json()) as OpenApi

let world: World
let sights: Record<"v1" | "dashboard", ReturnType<typeof sightsOf>>
beforeAll(async () => {
  world = await createWorld()
  serveFullEstates(world)
  sights = {
    v1: sightsOf(await documentAt("/v1/openapi.json"), "v1"),
    dashboard: sightsOf(await documentAt("/api/openapi.json"), "dashboard"),
  }
})
afterAll(() => world.close())

describe("A key sees the fields of its scope", () => {
  /** The scopes, with the place that a key of the scope sees. */
  const PLACE_OF = {
    all: "another key's space",
    created: "its own space",
    space: "a space of the dashboard",
    "test all": "a test space of the dashboard",
  } as const satisfies Partial<Record<CallerName, PlaceName>>
  const operations = inGentleOrder(v1Operations().operations.filter(({ open }) => !open))
  let matrix: Matrix
  beforeAll(async () => {
    matrix = await createMatrix(world)
  })

  /** Sends turns that are refused because of money. */
  async function beRefused(key: TestClient, space: string, note: (response: Promise<Response>) => Promise<number>) {
    const owner = matrix.keys.all
    await owner.call("PUT", "/v1/end-users/limited/limits", { daily_usd: 0.0000001 })
    await owner.call("PUT", "/v1/end-users/unpaid/billing", { prepaid: true })
    const [{ balance = 0 } = {}] = await world.sql<{ balance: number }>(
      "select balance_credit_micros::float8 as balance from wallets where user_id = $1",
      [owner.userId],
    )
    expect(balance).toBeGreaterThan(0)
    const refused = [{ end_user_ref: "limited" }, { end_user_ref: "unpaid" }, { max_cost_usd: 0.0000001 }, { text: "" }]
    for (const body of refused) expect(await note(key.sendTurn({ space, ...body }))).toBeGreaterThanOrEqual(400)
  }

  test.each(Object.entries(PLACE_OF) as [keyof typeof PLACE_OF, PlaceName][])(
    "A key with the scope %s sees the fields of its row",
    async (name, place) => {
      const isTest = name === "test all"
      const key = matrix.keys[name]
      const estate = await fillEstate(world, matrix.keys[isTest ? "test all" : "all"], matrix.estates[place], {
        isTest,
      })
      const sight = sights.v1()
      const createTurn = operations.find(({ id }) => id === "createTurn") as (typeof operations)[number]
      if (!isTest) await beRefused(key, estate.space, async (response) => sight.note(createTurn, await response))
      for (const operation of operations) {
        const { method, path, body, headers } = fullCallOf(operation, estate)
        const once = headers["idempotency-key"] && { "idempotency-key": crypto.randomUUID() }
        await sight.note(operation, await key.call(method, path, body, { ...headers, ...once }))
      }
      expect(sight.shown.get(UNDOCUMENTED)).toBeUndefined()
      // The feed shows the ping of a new webhook as soon as older transactions of the server have ended.
      sight.shown.delete("PingEvent")
      if (name !== "all") expectSight(sight.shown, keySight(name), `a key with the scope ${name}`)
    },
  )
})

describe("A session sees the fields of its role", () => {
  let estate: OwnerEstate
  let admins: AdminEstate
  let people: Record<"member" | "admin", Session>
  beforeAll(async () => {
    const made = await createOwnerEstate(world)
    estate = { ...made, ...(await fillEstate(world, made.client, made)) }
    admins = await createAdminEstate(world, "visible fields")
    const person = async () => world.signIn((await world.createAccount()).userId)
    people = { member: await person(), admin: await person() }
    const members = [
      { user_id: people.member.userId, role: "member" },
      { user_id: people.admin.userId, role: "owner" },
    ]
    const { workspace_id: id } = await makeWorkspace(admins, { members })
    await admins.admin.json("PATCH", `/api/admin/workspaces/${id}`, { spaces: [estate.space] })
  })

  function callOf(operation: (typeof ownerOperations)[number]) {
    const ended = { ...estate.ids, "turns/{turn_id}": estate.ids["ended/{turn_id}"] ?? "" }
    return ownerCallOf(operation, operation.method === "get" ? { ...estate, ids: ended } : estate)
  }

  test("An acting admin reads what the owner reads, and nothing more than the row adds", async () => {
    const begun = await admins.admin.call("POST", `/api/admin/users/${estate.client.userId}/act-as`)
    const [, acting] = /(?:^|, )acting=([^;]*)/.exec(begun.headers.get("set-cookie") ?? "") ?? []
    const cookie = `token=${admins.admin.cookie()}; acting=${acting}`
    for (const operation of ownerOperations.filter(({ method }) => method === "get")) {
      const { path } = callOf(operation)
      const [own, other] = [sights.dashboard(), sights.dashboard()]
      await own.note(operation, await estate.owner.call("GET", path))
      await other.note(operation, await estate.owner.call("GET", path, undefined, { cookie }))
      const { more = {}, instead } = ACTING_SIGHT[operation.id] ?? {}
      expect(own.shown.get(UNDOCUMENTED)).toBeUndefined()
      expectSight(
        other.shown,
        mergeSights(instead ?? sightOf(own.shown), more),
        `an acting admin who calls ${operation.id}`,
      )
    }
  })

  const ofSpaces = ownerOperations.filter(
    ({ id, path }) => /\{space_id\}|\/chat\//.test(path) || /^list(Spaces|Shares)$/.test(id),
  )

  test.each([
    ["member", MEMBER_SIGHT],
    ["admin", WORKSPACE_ADMIN_SIGHT],
  ] as const)("A workspace's %s sees the fields of the shared space that are in their row", async (role, row) => {
    const sight = sights.dashboard()
    for (const operation of inGentleOrder(ofSpaces)) {
      if (operation.id === "createSpace") continue
      const { method, path, body, headers } = callOf(operation)
      await sight.note(operation, await people[role].call(method, path, body, headers))
    }
    expectSight(sight.shown, row, `a workspace's ${role}`)
  })
})

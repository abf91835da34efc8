import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { App } from "../../src/http/app.ts"
import type { Operation } from "../../src/http/operation.ts"
import { auth } from "../../src/routes/auth/group.ts"
import { adminOperations } from "../harness/admin-requests.ts"
import { signInAdmin } from "../harness/books.ts"
import { v1Operations } from "../harness/operations.ts"
import { ownerOperations } from "../harness/owner-calls.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

/** Bodies that every operation refuses, with their types. */
const BODIES: [what: string, body: string, type: string][] = [
  ["of another shape", '{"nonsense":[1]}', "application/json"],
  ["that is no JSON", "{", "application/json"],
  ["of another type", "text", "text/plain"],
]

/** The same for uploads. */
const UPLOADS: typeof BODIES = [
  ["without a name", "x", "application/octet-stream"],
  ["of a form without a boundary", "x", "multipart/form-data"],
  ["with another boundary", "x", "multipart/form-data; boundary=b"],
]

/** The operations of sign-in that need a session. */
const authOperations = (() => {
  const app = new App()
  auth.mount(app)
  return app.operations.filter(({ open }) => !open)
})()

const RIGHTS = [401, 403]

let world: World
let owner: TestClient
let space: string
beforeAll(async () => {
  world = await createWorld()
  owner = await world.createAccount()
  space = await owner.space()
})
afterAll(() => world.close())

const withBody = (operations: readonly Operation[]) =>
  operations
    .filter(({ body, upload }) => body !== undefined || upload)
    .map((operation) => [operation.id, operation] as const)

const pathOf = ({ path }: Operation) => path.replaceAll(/\{\w+\}/g, "unknown")

/** The statuses of the operation's answers to all bodies. */
async function answersOf(operation: Operation, headers: Record<string, string>): Promise<number[]> {
  const statuses = []
  for (const [, body, type] of operation.upload ? UPLOADS : BODIES) {
    const init = { method: operation.method.toUpperCase(), headers: { ...headers, "content-type": type }, body }
    statuses.push((await world.invoke(new Request(`https://api.test${pathOf(operation)}`, init))).status)
  }
  return statuses
}

const expectRefused = (statuses: number[], allowed = RIGHTS) => {
  expect(statuses).toHaveLength(BODIES.length)
  expect(statuses.filter((status) => !allowed.includes(status))).toEqual([])
}

const sessionHeaders = (cookie: string) => ({ cookie: `token=${cookie}`, origin: "https://api.test" })

describe("A caller without the right learns nothing about the body", () => {
  let plain: string
  let ended: string
  let unproved: string
  beforeAll(async () => {
    plain = (await world.signIn(owner.userId)).cookie()
    const leaving = await world.signIn(owner.userId)
    ended = leaving.cookie()
    await leaving.call("POST", "/api/auth/logout")
    const old = await signInAdmin(world)
    unproved = old.cookie()
  })

  test.each(withBody(adminOperations))(
    "%s answers 403 to a user who is no admin, and 401 without a session",
    async (_id, operation) => {
      expectRefused(await answersOf(operation, sessionHeaders(plain)), [403])
      expectRefused(await answersOf(operation, sessionHeaders(ended)), [401])
      expectRefused(await answersOf(operation, { origin: "https://api.test" }), [401])
    },
  )

  test.each(withBody([...ownerOperations, ...authOperations]))(
    "%s answers 401 without a session, and after its end",
    async (_id, operation) => {
      expectRefused(await answersOf(operation, sessionHeaders(ended)), [401])
      expectRefused(await answersOf(operation, { origin: "https://api.test" }), [401])
    },
  )

  const keyed = withBody(v1Operations().operations.filter(({ open }) => !open))

  test.each(keyed)("%s answers 401 without a key, and to a revoked one", async (_id, operation) => {
    const { value, key_id } = await world.makeKey(owner.userId)
    await world.sql("update api_keys set revoked_at = $2 where key_id = $1", [key_id, world.clock.now()])
    expectRefused(await answersOf(operation, { authorization: `Bearer ${value}` }), [401])
    expectRefused(await answersOf(operation, {}), [401])
  })

  test.each(keyed.filter(([, { keyScope }]) => keyScope))(
    "%s answers 403 to a key of one space",
    async (_id, operation) => {
      const session = await world.signIn(owner.userId)
      const [status, key] = await session.json("POST", "/api/account/keys", {
        name: "One space",
        scope: "space",
        space,
      })
      expect(status).toBe(201)
      expectRefused(await answersOf(operation, { authorization: `Bearer ${(key as { value: string }).value}` }), [403])
    },
  )

  test("A caller with the right reads the faults of the body", async () => {
    const headers = sessionHeaders(unproved)
    const createUser = adminOperations.find(({ id }) => id === "createUser")
    if (!createUser) throw new Error("There is no operation createUser.")
    expect(await answersOf(createUser, headers)).toEqual([422, 400, 415])
  })
})

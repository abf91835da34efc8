import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { guardOf } from "../../src/base/operation-powers.ts"
import { App } from "../../src/http/app.ts"
import type { Operation } from "../../src/http/operation.ts"
import { auth } from "../../src/routes/auth/group.ts"
import { adminOperations } from "../harness/admin-requests.ts"
import { signInAdmin } from "../harness/books.ts"
import { v1Operations } from "../harness/operations.ts"
import { ownerOperations } from "../harness/owner-calls.ts"
import { CHAT, type Shared, shareSpace } from "../harness/shared-space.ts"
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

type Ids = Record<string, string>

const pathOf = ({ path }: Operation, ids: Ids = {}) =>
  path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => ids[name] ?? "unknown")

/** The operation's answers to all bodies. */
async function askAll(operation: Operation, headers: Record<string, string>, ids?: Ids): Promise<Response[]> {
  const answers = []
  for (const [, body, type] of operation.upload ? UPLOADS : BODIES) {
    const init = { method: operation.method.toUpperCase(), headers: { ...headers, "content-type": type }, body }
    answers.push(await world.invoke(new Request(`https://api.test${pathOf(operation, ids)}`, init)))
  }
  return answers
}

const answersOf = async (operation: Operation, headers: Record<string, string>) =>
  (await askAll(operation, headers)).map(({ status }) => status)

/** The codes of errors of the dashboard's API. A fault of the content has none. */
const codesOf = async (operation: Operation, cookie: string, ids?: Ids) =>
  Promise.all(
    (await askAll(operation, sessionHeaders(cookie), ids)).map(
      async (answer) => ((await answer.json()) as { code?: string }).code ?? answer.status,
    ),
  )

const expectRefused = (statuses: number[], allowed = RIGHTS) => {
  expect(statuses).toHaveLength(BODIES.length)
  expect(statuses.filter((status) => !allowed.includes(status))).toEqual([])
}

const sessionHeaders = (cookie: string) => ({ cookie: `token=${cookie}`, origin: "https://api.test" })

const ownOperations = ownerOperations.filter(({ path }) => path.includes("{"))

test.each(withBody(ownOperations))(
  "%s refuses an id that cannot be stored, whatever the body",
  async (_id, operation) => {
    const cookie = (await world.signIn(owner.userId)).cookie()
    const ids = Object.fromEntries([...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => [name, "%00"]))
    const statuses = (await askAll(operation, sessionHeaders(cookie), ids)).map(({ status }) => status)
    expect(statuses.filter((status) => status >= 500 || status < 400)).toEqual([])
  },
)

describe("A caller without the right learns nothing about the body", () => {
  let plain: string
  let ended: string
  let unproved: string
  let stale: string
  beforeAll(async () => {
    plain = (await world.signIn(owner.userId)).cookie()
    const leaving = await world.signIn(owner.userId)
    ended = leaving.cookie()
    await leaving.call("POST", "/api/auth/logout")
    const old = await signInAdmin(world)
    unproved = old.cookie()
    const late = await signInAdmin(world)
    stale = late.cookie()
    await world.sql("update sessions set proved_at = proved_at - interval '1 hour' where user_id = $1", [late.userId])
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

  const proving = withBody([...adminOperations, ...ownerOperations, ...authOperations]).filter(([, operation]) => {
    const guard = guardOf(operation)
    return guard !== null && guard.when === undefined
  })

  test.each(proving)("%s asks a session without a fresh proof for it first", async (_id, operation) => {
    expect(await codesOf(operation, stale)).toEqual(Array(3).fill("REAUTHENTICATION_REQUIRED"))
  })

  const inSpaces = withBody(ownerOperations).filter(
    ([, { errors, path }]) => errors.includes("SPACE_ROLE_REQUIRED") && path.includes("{"),
  )

  describe("In a shared space", () => {
    let shared: Shared
    let ids: Ids
    beforeAll(async () => {
      shared = await shareSpace(world, "rights-first")
      const { people, space } = shared
      const [status, { turn_id }] = await people.member.json("POST", CHAT, { space, text: "hello" })
      expect(status).toBe(202)
      ids = { space_id: space, turn_id, call: "0.0", name: "tool_of_mine" }
    })

    test.each(inSpaces)("%s tells a member only that the role is missing", async (id, operation) => {
      const { people, owner, stranger } = shared
      const refused = Array(3).fill("SPACE_ROLE_REQUIRED")
      const cookieOf = (person: { cookie(): string }) => person.cookie()
      expect(await codesOf(operation, cookieOf(people.member), ids)).toEqual(refused)
      expect(await codesOf(operation, cookieOf(people.admin), ids)).toEqual(
        id === "putMembersLimit" ? refused : [422, "INVALID_JSON", "UNSUPPORTED_MEDIA_TYPE"],
      )
      const readers = [cookieOf(owner), cookieOf(stranger)]
      for (const reader of readers) {
        expect(await codesOf(operation, reader, ids)).toEqual([422, "INVALID_JSON", "UNSUPPORTED_MEDIA_TYPE"])
      }
    })
  })

  test("A caller with the right reads the faults of the body", async () => {
    const headers = sessionHeaders(unproved)
    const createUser = adminOperations.find(({ id }) => id === "createUser")
    if (!createUser) throw new Error("There is no operation createUser.")
    expect(await answersOf(createUser, headers)).toEqual([422, 400, 415])
  })
})

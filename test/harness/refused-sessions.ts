import type { Operation } from "../../src/http/operation.ts"
import { createUser } from "../../src/ops/seed.ts"
import { type AdminEstate, adminOperations, createAdminEstate, requestOf } from "./admin-requests.ts"
import { signInAdmin } from "./books.ts"
import { callOfOperation, createEstate } from "./estate.ts"
import { idsIn, OF_OWN_WORDS, v1Operations } from "./operations.ts"
import { createOwnerEstate, type OwnerEstate, ownerCallOf, ownerOperations } from "./owner-calls.ts"
import {
  byKey,
  bySession,
  faultyCalls,
  needsProof,
  type RefusedTry,
  type Send,
  type SentCall,
  writes,
} from "./refusals.ts"
import type { Session } from "./shared-space.ts"
import type { TestClient, World } from "./world.ts"

const namesThings = ({ id, path }: Operation) => idsIn(path).length > 0 && !OF_OWN_WORDS.test(id)

/** The same call for ids that do not exist. */
const unknown = ({ path }: Operation, call: SentCall): SentCall => ({
  ...call,
  path: path.replaceAll(/\{\w+\}/g, "99999999"),
})

async function boundKey(world: World, userId: number, slug: string): Promise<TestClient> {
  const [row] = await world.sql<{ id: number }>("select space_id::int as id from spaces where slug = $1", [slug])
  return world.createClient(userId, (await world.makeKey(userId, { scope: "space", spaceId: row?.id ?? 0 })).value)
}

/** Requests of keys. */
export async function triesOfKeys(world: World): Promise<RefusedTry[]> {
  const estate = await createEstate(world)
  const archived = await createEstate(world)
  const other = await createEstate(world)
  const { userId } = estate.client
  const revoked = await world.makeKey(userId, { scope: "all" })
  await world.sql("update api_keys set revoked_at = $2 where key_id = $1", [revoked.key_id, world.clock.now()])
  const narrow = await boundKey(world, userId, await estate.client.space())
  await world.drain()
  await archived.client.call("DELETE", `/v1/spaces/${archived.space}`)
  const callers = { owner: byKey(estate.client), other: byKey(other.client), narrow: byKey(narrow) }
  const strangers: Record<string, Send> = {
    "no key": byKey(world.createClient(0, "")),
    "a mistyped key": byKey(world.createClient(0, `${estate.client.key.slice(0, -2)}zz`)),
    "a revoked key": byKey(world.createClient(0, revoked.value)),
  }
  return writes(v1Operations().operations.filter(({ open }) => !open)).flatMap((operation) => {
    const { id, keyScope, errors } = operation
    const call: SentCall = callOfOperation(operation, estate)
    const own = [
      ...Object.entries(strangers).map(([why, send]) => ({ id, why, statuses: [401], call, send })),
      ...faultyCalls(operation, call).map((fault) => ({ ...fault, id, send: callers.owner })),
    ]
    const more: RefusedTry[] = []
    if (keyScope) more.push({ id, why: "a key of one space", statuses: [403], call, send: callers.narrow })
    if (namesThings(operation)) {
      more.push({ id, why: "another account's key", statuses: [403, 404], call, send: callers.other })
      more.push({
        id,
        why: "ids that do not exist",
        statuses: [400, 403, 404, 422],
        call: unknown(operation, call),
        send: callers.owner,
      })
    }
    if (errors.includes("SPACE_ARCHIVED")) {
      const there = callOfOperation(operation, archived)
      more.push({ id, why: "an archived space", statuses: [404, 409], call: there, send: byKey(archived.client) })
    }
    if (namesThings(operation) && (errors.includes("TURN_FINISHED") || id === "renewCall")) {
      const ended = { ...estate.ids, "turns/{turn_id}": estate.ids["ended/{turn_id}"] ?? "" }
      const responses = { "responses/{response_id}": ended["turns/{turn_id}"].replace("turn_", "resp_") }
      const there = callOfOperation(operation, { ...estate, ids: { ...ended, ...responses } })
      more.push({ id, why: "a turn that has ended", statuses: [409], call: there, send: callers.owner })
    }
    return [...own, ...more]
  })
}

const STALE = "update sessions set proved_at = proved_at - interval '1 hour' where session_id = $1"

async function stale(world: World, userId: number): Promise<Session> {
  const session = await world.signIn(userId)
  await world.sql(STALE, [session.sessionId])
  return session
}

/** Requests of an owner's pages. */
export async function triesOfOwners(world: World): Promise<RefusedTry[]> {
  const estate: OwnerEstate = await createOwnerEstate(world)
  const { owner, client } = estate
  const ended = await world.signIn(client.userId)
  await ended.call("POST", "/api/auth/logout")
  const stranger = await world.signIn(await createUser(world.sql, { name: "Stranger" }))
  const admin = await signInAdmin(world)
  const begun = await admin.call("POST", `/api/admin/users/${client.userId}/act-as`)
  const [, acting] = /(?:^|, )acting=([^;]*)/.exec(begun.headers.get("set-cookie") ?? "") ?? []
  const unproved = await stale(world, client.userId)
  return writes(ownerOperations).flatMap((operation) => {
    const { id } = operation
    const call: SentCall = ownerCallOf(operation, estate)
    const all: RefusedTry[] = [
      { id, why: "no session", statuses: [401], call, send: bySession(owner, { cookie: null }) },
      { id, why: "an ended session", statuses: [401], call, send: bySession(ended) },
      {
        id,
        why: "a key",
        statuses: [401],
        call,
        send: bySession(owner, { cookie: null, authorization: `Bearer ${client.key}` }),
      },
      {
        id,
        why: "a page of another origin",
        statuses: [403],
        call,
        send: bySession(owner, { "sec-fetch-site": "cross-site" }),
      },
      {
        id,
        why: "an acting admin",
        statuses: [403],
        call,
        send: bySession(admin, { cookie: `token=${admin.cookie()}; acting=${acting}` }),
      },
      ...faultyCalls(operation, call).map((fault) => ({ ...fault, id, send: bySession(owner) })),
    ]
    if (needsProof(operation)) all.push({ id, why: "an old proof", statuses: [403], call, send: bySession(unproved) })
    if (namesThings(operation)) {
      all.push({ id, why: "a stranger's session", statuses: [403, 404], call, send: bySession(stranger) })
      all.push({
        id,
        why: "ids that do not exist",
        statuses: [400, 403, 404, 422],
        call: unknown(operation, call),
        send: bySession(owner),
      })
    }
    return all
  })
}

/** Requests of admins' pages. */
export async function triesOfAdmins(world: World): Promise<RefusedTry[]> {
  const estate: AdminEstate = await createAdminEstate(world, "refused requests")
  const { admin, client } = estate
  const plain = await world.signIn(client.userId)
  const unproved = await stale(world, admin.userId)
  const all: RefusedTry[] = []
  for (const operation of writes(adminOperations)) {
    const { id } = operation
    const call: SentCall = await requestOf(estate, operation)
    all.push(
      { id, why: "no session", statuses: [401], call, send: bySession(plain, { cookie: null }) },
      { id, why: "a session of a user", statuses: [403], call, send: bySession(plain) },
      {
        id,
        why: "a page of another origin",
        statuses: [403],
        call,
        send: bySession(admin, { "sec-fetch-site": "same-site" }),
      },
      ...faultyCalls(operation, call).map((fault) => ({ ...fault, id, send: bySession(admin) })),
    )
    if (needsProof(operation)) all.push({ id, why: "an old proof", statuses: [403], call, send: bySession(unproved) })
    if (operation.path.includes("{")) {
      all.push({
        id,
        why: "ids that do not exist",
        statuses: [400, 403, 404, 422],
        call: unknown(operation, call),
        send: bySession(admin),
      })
    }
  }
  return all
}

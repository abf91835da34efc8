import type { Operation } from "../../src/http/operation.ts"
import { createUser } from "../../src/ops/seed.ts"
import { type AdminEstate, adminOperations, requestOf } from "./admin-requests.ts"
import { callOfOperation } from "./estate.ts"
import { type FullEstate, fillEstate } from "./full-estate.ts"
import { createIntruders } from "./intruders.ts"
import { idsIn, OF_OWN_WORDS, v1Operations } from "./operations.ts"
import { createOwnerEstate, type OwnerEstate, ownerCallOf, ownerOperations } from "./owner-calls.ts"
import { createPortalBrowser, makePortal } from "./portal.ts"
import { byKey, bySession, needsProof, type Send, type SentCall } from "./refusals.ts"
import type { World } from "./world.ts"

/** An account with every resource, and turns that used and wait for everything. */
export type Tenant = OwnerEstate & FullEstate

/** A call of the matrix. Refused: it must get one of these statuses. Null: the caller may make it. */
export interface Cell {
  surface: string
  operation: Operation
  who: string
  place: "own" | "foreign"
  call: SentCall
  send: Send
  refused: readonly number[] | null
  /** The words of other accounts, which no answer may have. */
  foreign: readonly string[]
}

/** Ours: the callers' account. Theirs: the account whose ids are foreign. */
export interface Grounds {
  world: World
  admins: AdminEstate
  ours: Tenant
  theirs: Tenant
}

export async function createTenant(world: World): Promise<Tenant> {
  const made = await createOwnerEstate(world)
  return { ...made, ...(await fillEstate(world, made.client, made)) }
}

const namesThings = ({ id, path }: Operation) =>
  (idsIn(path).length > 0 && !OF_OWN_WORDS.test(id)) ||
  /^(create|estimate)(Turn|Response|ChatCompletion|ChatTurn)$/.test(id)

/** A key is used once per cell, so that no cell gets the answer of another. */
const fresh = (call: SentCall): SentCall => ({
  ...call,
  headers: { ...call.headers, ...(call.headers["idempotency-key"] && { "idempotency-key": crypto.randomUUID() }) },
})

const DENIED = [403, 404]

/** Tokens of other kinds, which no operation for keys accepts. */
async function tokensOf(world: World, { client, canary, waiting }: Tenant): Promise<Record<string, string>> {
  const made = await client.call("POST", `/v1/turns/${waiting.decision}/watch-tokens`, {})
  const portal = await createPortalBrowser(world).open(await makePortal(client, canary))
  return {
    "a watch token": ((await made.json()) as { token: string }).token,
    "a portal token": portal.token,
    "a made-up result token": `crt_${"0".repeat(64)}`,
  }
}

/** Adds the cells of one operation. */
const adderTo =
  (cells: Cell[], { callTo, ...cell }: Pick<Cell, "surface" | "operation"> & { callTo: (of: Tenant) => SentCall }) =>
  (who: string, place: Cell["place"], send: Send, refused: Cell["refused"], of: Tenant, foreign: string) =>
    cells.push({ ...cell, who, place, call: fresh(callTo(of)), send, refused, foreign: [foreign] })

export async function cellsOfKeys({ world, ours, theirs }: Grounds): Promise<Cell[]> {
  const { operations } = v1Operations()
  const intruders = await createIntruders(world, theirs)
  const ofOurs = await createIntruders(world, ours)
  const narrow = ofOurs.filter(({ who }) => /other spaces|another space/.test(who))
  const tokens = { ...(await tokensOf(world, theirs)), ...(await tokensOf(world, ours)) }
  const cells: Cell[] = []
  for (const operation of operations.filter(({ open }) => !open)) {
    const add = adderTo(cells, { surface: "v1", operation, callTo: (of) => callOfOperation(operation, of) })
    const { keyScope, errors } = operation
    const beyond = namesThings(operation) ? (errors.includes("SCOPE_DENIED") || keyScope ? DENIED : [404]) : null
    for (const { who, key, refused } of intruders) {
      const send = byKey(world.createClient(0, key), key === "" ? { authorization: "" } : {})
      // Their test keys and narrow keys see their words, but none of the other account's.
      const isStranger = /another account/.test(who)
      add(
        who,
        "foreign",
        send,
        refused ? [refused.status] : beyond,
        theirs,
        isStranger || refused ? theirs.canary : ours.canary,
      )
      add(who, "foreign", send, refused ? [refused.status] : beyond, ours, ours.canary)
    }
    for (const { who, key } of narrow) {
      const isDenied =
        keyScope === "all" || keyScope === "live all" || (keyScope === "created" && /another space/.test(who))
      add(who, "foreign", byKey(world.createClient(0, key)), isDenied ? DENIED : beyond, theirs, theirs.canary)
    }
    for (const [who, token] of Object.entries(tokens)) {
      const send = byKey(world.createClient(0, token))
      add(who, "own", send, [401], ours, ours.canary)
      add(who, "foreign", send, [401], theirs, theirs.canary)
    }
    add(
      "a session",
      "own",
      byKey(world.createClient(0, ""), { authorization: "", cookie: `token=${ours.owner.cookie()}` }),
      [401],
      ours,
      ours.canary,
    )
    add("the owner's key", "foreign", byKey(ours.client), beyond, theirs, theirs.canary)
    add("the owner's key", "own", byKey(ours.client), null, ours, theirs.canary)
  }
  return cells
}

export async function cellsOfOwners({ world, admins, ours, theirs }: Grounds): Promise<Cell[]> {
  const { owner, client } = ours
  const ended = await world.signIn(client.userId)
  await ended.call("POST", "/api/auth/logout")
  const unproved = await world.signIn(client.userId)
  await world.sql("update sessions set proved_at = proved_at - interval '1 hour' where session_id = $1", [
    unproved.sessionId,
  ])
  const stranger = await world.signIn(await createUser(world.sql, { name: "Stranger" }))
  const begun = await admins.admin.call("POST", `/api/admin/users/${client.userId}/act-as`)
  const [, acting] = /(?:^|, )acting=([^;]*)/.exec(begun.headers.get("set-cookie") ?? "") ?? []
  const asUser = { cookie: `token=${admins.admin.cookie()}; acting=${acting}` }
  const [portal = ""] = Object.values(await tokensOf(world, ours)).slice(1)
  const cells: Cell[] = []
  for (const operation of ownerOperations) {
    const isRead = operation.method === "get"
    const isBeyond = namesThings(operation)
    const proof = needsProof(operation)
    const add = adderTo(cells, { surface: "account", operation, callTo: (of) => ownerCallOf(operation, of) })
    for (const [place, of] of [
      ["own", ours],
      ["foreign", theirs],
    ] as const) {
      const beyond = place === "foreign" && isBeyond ? [404] : null
      add("no session", place, bySession(owner, { cookie: null }), [401], of, of.canary)
      add("an ended session", place, bySession(ended), [401], of, of.canary)
      add("an altered cookie", place, bySession(owner, { cookie: `token=${owner.cookie()}x` }), [401], of, of.canary)
      add(
        "a key",
        place,
        bySession(owner, { cookie: null, authorization: `Bearer ${client.key}` }),
        [401],
        of,
        of.canary,
      )
      add("a portal token as a cookie", place, bySession(owner, { cookie: `token=${portal}` }), [401], of, of.canary)
      if (!isRead)
        add(
          "a page of another origin",
          place,
          bySession(owner, { "sec-fetch-site": "cross-site" }),
          [403],
          of,
          of.canary,
        )
      add(
        "an acting admin",
        place,
        bySession(admins.admin, asUser),
        isRead ? beyond && [...beyond, 403] : [403],
        of,
        theirs.canary,
      )
      add("a stranger", place, bySession(stranger), isBeyond ? DENIED : null, of, of.canary)
      if (proof) add("an old proof", place, bySession(unproved), [403], of, of.canary)
      if (!ENDS_THE_SESSION.test(operation.id))
        add("the owner", place, bySession(owner), beyond && (proof ? DENIED : beyond), of, theirs.canary)
    }
  }
  return cells
}

const ENDS_THE_SESSION = /^(endSessions?|changePassword|(begin|confirm|remove)SecondFactor)$/

export async function cellsOfAdmins({ world, admins, ours, theirs }: Grounds): Promise<Cell[]> {
  const { admin } = admins
  const unproved = await world.signIn(admin.userId)
  await world.sql("update sessions set proved_at = proved_at - interval '1 hour' where session_id = $1", [
    unproved.sessionId,
  ])
  const begun = await admin.call("POST", `/api/admin/users/${ours.client.userId}/act-as`)
  const [, acting] = /(?:^|, )acting=([^;]*)/.exec(begun.headers.get("set-cookie") ?? "") ?? []
  const cells: Cell[] = []
  for (const operation of adminOperations) {
    const call: SentCall = await requestOf(admins, operation)
    const add = (who: string, send: Send, refused: Cell["refused"]) =>
      cells.push({
        surface: "admin",
        operation,
        who,
        place: "foreign",
        call,
        send,
        refused,
        foreign: refused ? [ours.canary, theirs.canary] : [],
      })
    add("no session", bySession(admin, { cookie: null }), [401])
    add("a user", bySession(ours.owner), [403])
    add("another user", bySession(theirs.owner), [403])
    add("a key", bySession(admin, { cookie: null, authorization: `Bearer ${ours.client.key}` }), [401])
    add("the acting cookie alone", bySession(admin, { cookie: `acting=${acting}` }), [401])
    add("the acting cookie as a session", bySession(admin, { cookie: `token=${acting}` }), [401])
    add(
      "a user with an acting cookie",
      bySession(ours.owner, { cookie: `token=${ours.owner.cookie()}; acting=${acting}` }),
      [403],
    )
    if (operation.method !== "get")
      add("a page of another origin", bySession(admin, { "sec-fetch-site": "same-site" }), [403])
    if (needsProof(operation)) add("an old proof", bySession(unproved), [403])
  }
  return cells
}

import { callOfOperation, createEstate, type Estate, ownerWithAll } from "./estate.ts"
import { idsIn, OF_OWN_WORDS, type V1Operation } from "./operations.ts"
import type { TestClient, World } from "./world.ts"

/** The maker of a space and its webhook, and their mode. */
export const PLACES = {
  "its own space": { by: "created" },
  "another key's space": { by: "other" },
  "a space of the dashboard": { by: "dashboard" },
  "its own archived space": { by: "created", archived: true },
  "another account's space": { by: "stranger" },
  "its own test space": { by: "test created", test: true },
  "a test space of the dashboard": { by: "dashboard", test: true },
} as const satisfies Record<string, { by: string; archived?: true; test?: true }>

/**
 * The keys of one account that make the calls: one per scope, live and test. A key with the scope
 * `space` has the space that the dashboard made.
 */
export const CALLERS = {
  created: { scope: "created" },
  space: { scope: "space", space: "a space of the dashboard" },
  all: { scope: "all" },
  "test created": { scope: "created", test: true },
  "test space": { scope: "space", space: "a test space of the dashboard", test: true },
  "test all": { scope: "all", test: true },
} as const satisfies Record<string, { scope: "created" | "space" | "all"; space?: keyof typeof PLACES; test?: true }>

export type PlaceName = keyof typeof PLACES
export type CallerName = keyof typeof CALLERS
type Place = { by: string; archived?: true; test?: true }
type Caller = { scope: string; space?: PlaceName; test?: true }

interface Cell {
  operation: V1Operation
  caller: CallerName
  place: PlaceName
}

export interface Expected {
  /** The error code; null if the call succeeds. */
  code: string | null
  /** For lists: true if the list contains the place's resource. */
  shown?: boolean
}

const isThere = (caller: Caller, place: Place) => place.by !== "stranger" && caller.test === place.test

/** The scopes of docs/contract.md: true if the key can see the space. */
function sees(name: CallerName, where: PlaceName): boolean {
  const [caller, place]: [Caller, Place] = [CALLERS[name], PLACES[where]]
  if (!isThere(caller, place)) return false
  return caller.scope === "all" || (caller.scope === "created" ? place.by === name : caller.space === where)
}

/** A webhook belongs to its key or to the account. */
function seesWebhook(name: CallerName, where: PlaceName): boolean {
  const [caller, place]: [Caller, Place] = [CALLERS[name], PLACES[where]]
  return isThere(caller, place) && (caller.scope === "all" || place.by === name)
}

export const namesPlace = ({ id, path }: V1Operation) =>
  idsIn(path).length > 0 ||
  /^((create|estimate)Turn|createResponse|createChatCompletion|createMessage|countMessageTokens)$/.test(id)

/**
 * The required answer of a cell. A resource that is absent and one that the caller cannot see give
 * the same answer.
 */
export function expectedOf({ operation, caller: name, place: where }: Cell): Expected {
  const { id, path, errors } = operation
  // Its credential is a token in the query, not a key.
  if (id === "watchTurn") return { code: "VALIDATION_FAILED" }
  // A session can be made for any name, and shows what its key sees (test/portal).
  if (id === "createPortalSession") return { code: null }
  const [caller, place]: [Caller, Place] = [CALLERS[name], PLACES[where]]
  if (OF_ACCOUNT.test(id)) {
    if (caller.scope !== "all") return { code: "SCOPE_DENIED" }
    if (id === "putUsageKeys" && caller.test) return { code: "SCOPE_DENIED" }
    return { code: !/^(get|delete)Price$/.test(id) || isThere(caller, place) ? null : "NOT_FOUND" }
  }
  const visible = /\/(webhooks|deliveries)/.test(path) ? seesWebhook(name, where) : sees(name, where)
  if (!namesPlace(operation)) {
    const isNarrow = /Statements|UsageExport/.test(id) ? caller.scope !== "all" : caller.scope === "space"
    const denied = isNarrow || (id !== "createSpace" && caller.test)
    if (errors.includes("SCOPE_DENIED") && denied) return { code: "SCOPE_DENIED" }
    const shown = visible && !(/^list(Space|Message)Models$/.test(id) && place.archived)
    return { code: null, ...(LISTS.test(id) && { shown }) }
  }
  if (/\/(end-users|erasures)\//.test(path) && !SEEN_IN_SPACES.includes(id)) {
    if (caller.scope !== "all") return { code: errors.includes("SCOPE_DENIED") ? "SCOPE_DENIED" : "NOT_FOUND" }
    // An end user is only a name in an account, so limits can be set for one without turns.
    return { code: isThere(caller, place) || OF_OWN_WORDS.test(id) ? null : "NOT_FOUND" }
  }
  if (/\/statements\//.test(path)) return { code: caller.scope !== "all" || caller.test ? "SCOPE_DENIED" : null }
  if (!visible) return { code: "NOT_FOUND" }
  // All turns have run, except the ones that ended with their space.
  if (/^cancel(Turn|Response)$/.test(id) && !place.archived) return { code: "TURN_FINISHED" }
  if (/^(patchTurn|decideCall|sendCallResult)$/.test(id)) return { code: "TURN_FINISHED" }
  if (id === "renewCall") return { code: "CALL_NOT_WAITING" }
  return { code: place.archived && errors.includes("SPACE_ARCHIVED") ? "SPACE_ARCHIVED" : null }
}

/** Prices and settings belong to the account, so only keys with the scope `all` may use them. */
const OF_ACCOUNT = /^(list(Prices|EndUserDefaults)|(get|put|delete)Price|putEndUserDefaults|putUsageKeys)$/
const SEEN_IN_SPACES = ["getEndUser", "exportEndUser"]
/** Operations that list resources of places. */
export const LISTS = /^(list(Spaces|SpaceModels|MessageModels|Turns|Webhooks|Events|EndUsers)|getUsage)$/

/** Queries that make a list return everything. */
const QUERIES: Record<string, string> = {
  listSpaceModels: "",
  listMessageModels: "?limit=1000",
  listSpaces: "?archived=all&limit=100",
  getUsage: "?group_by=end_user_ref",
}

export interface Matrix {
  keys: Record<CallerName, TestClient>
  estates: Record<PlaceName, Estate>
}

/** One account with every resource in each place, and its keys. */
export async function createMatrix(world: World): Promise<Matrix> {
  const account = await ownerWithAll(world, 50)
  const { userId } = account
  const keyOf = async (options: Parameters<World["makeKey"]>[1]) =>
    world.createClient(userId, (await world.makeKey(userId, options)).value)
  const browser = await world.signIn(userId)
  const created = await keyOf({ scope: "created" })
  const testCreated = await keyOf({ scope: "created", test: true })
  const makers: Record<string, (test: boolean) => TestClient["call"]> = {
    created: () => created.call,
    other: () => other.call,
    "test created": () => testCreated.call,
    dashboard: (test) => (method, path, body) =>
      browser.call(method, `${path.replace("/v1/", "/api/account/")}${test ? "?test=true" : ""}`, body),
  }
  const other = await keyOf({ scope: "created" })
  const [all, testAll] = [account, await keyOf({ scope: "all", test: true })]
  const estates: Partial<Matrix["estates"]> = {}
  for (const [name, { by, archived, test = false }] of Object.entries(PLACES as Record<PlaceName, Place>)) {
    const owner = test ? testAll : all
    const maker = makers[by]?.(test)
    const estate = await createEstate(world, maker ? { client: madeBy(owner, maker) } : {})
    if (archived) await owner.call("DELETE", `/v1/spaces/${estate.space}`)
    estates[name as PlaceName] = estate
  }
  await world.drain()
  const bound = async (place: PlaceName, test: boolean) => {
    const slug = (estates[place] as Estate).space
    const [space] = await world.sql<{ id: number }>("select space_id::int as id from spaces where slug = $1", [slug])
    return keyOf({ scope: "space", spaceId: space?.id ?? 0, test })
  }
  return {
    estates: estates as Matrix["estates"],
    keys: {
      created,
      all,
      "test created": testCreated,
      "test all": testAll,
      space: await bound("a space of the dashboard", false),
      "test space": await bound("a test space of the dashboard", true),
    },
  }
}

/** The same client, except that another caller makes its spaces and webhooks. */
function madeBy(client: TestClient, maker: TestClient["call"]): TestClient {
  const call: TestClient["call"] = (method, path, ...rest) => {
    const makes = method === "POST" && (path === "/v1/spaces" || path === "/v1/webhooks")
    return (makes ? maker : client.call)(method, path, ...rest)
  }
  const space = async (body: object = {}) => {
    const made = await call("POST", "/v1/spaces", { title: "A space", ...body })
    if (made.status !== 201) throw new Error(await made.text())
    return ((await made.json()) as { space_id: string }).space_id
  }
  return { ...client, call, space }
}

/**
 * The answer to the caller about the place: its code (null for success), its text, and whether the
 * text contains the words of a place.
 */
export async function scopeAnswer({ keys, estates }: Matrix, { operation, caller, place }: Cell) {
  const estate = estates[place]
  const call = callOfOperation(operation, estate)
  const path =
    call.path + (call.path.includes("?") || !LISTS.test(operation.id) ? "" : (QUERIES[operation.id] ?? "?limit=100"))
  const headers = {
    ...call.headers,
    ...(call.headers["idempotency-key"] && { "idempotency-key": crypto.randomUUID() }),
  }
  const response = await keys[caller].call(call.method, path, call.body, headers)
  const text = await response.text()
  const error = response.status < 300 ? null : (JSON.parse(text) as { error: { code: string; message: string } }).error
  // Short words, such as a version number, also occur within others.
  const ids = [estate.canary, ...Object.values(estate.ids), ...Object.values(estate.references).flat()]
  const long = ids.filter((id) => id.length > 8).sort((one, other) => other.length - one.length)
  const words = error && long.reduce((rest, id) => rest.replaceAll(id, "…"), error.message)
  const shows = (where: PlaceName) => text.includes(estates[where].canary)
  return { code: error?.code ?? null, words, shows, status: response.status }
}

/** The text of each operation's answer about a place that does not exist. */
export async function wordsOfAbsence({ keys, estates }: Matrix, operation: V1Operation): Promise<string | null> {
  const nothing = absent(estates["another account's space"])
  const cell: Cell = { operation, caller: "all", place: "another account's space" }
  return (await scopeAnswer({ keys, estates: { ...estates, [cell.place]: nothing } }, cell)).words
}

/** An estate whose ids do not exist: the last letter of each is changed. */
function absent(estate: Estate): Estate {
  const other = (id: string) => (id.length > 8 ? id.replace(/[0-9a-z]$/i, (last) => (last === "7" ? "8" : "7")) : id)
  const ids = Object.fromEntries(Object.entries(estate.ids).map(([name, id]) => [name, other(id)]))
  const references = Object.fromEntries(
    Object.entries(estate.references).map(([name, id]) => [name, Array.isArray(id) ? id.map(other) : other(id)]),
  )
  return { ...estate, ids, references, space: other(estate.space) }
}

/** Tables that calls of the matrix write and that later cells need unchanged. */
export const KEPT_TABLES = [
  "spaces",
  "config_versions",
  "config_parts",
  "space_secrets",
  "files",
  "webhook_endpoints",
  "end_users",
  "account_storage",
]

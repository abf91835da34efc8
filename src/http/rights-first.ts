import type { Context as HonoContext, MiddlewareHandler } from "hono"
import type { Credential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import { TurnpikeError } from "../base/errors.ts"
import { guardOf } from "../base/operation-powers.ts"
import { rightOf } from "../base/operation-rights.ts"
import { storable } from "../base/storable.ts"
import type { AppEnv } from "./app-env.ts"
import { forgetAnswer } from "./doors.ts"
import type { Operation } from "./operation.ts"

/** The statuses of errors about the content of a request. */
const OF_CONTENT = new Set([400, 408, 413, 415, 422])

/** Path prefixes of operations that only admins may call. */
const FOR_ADMINS = "/api/admin/"

/**
 * Answers a caller without the right to an operation with 401 or 403 before anything is said about the request's
 * content. The rights are looked up only after such a fault, so a request in order needs no further statement.
 */
export function rightsFirst(operation: Operation): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    await next()
    if (!c.error || !OF_CONTENT.has(c.res.status)) return
    try {
      await checkRights(c, operation)
    } catch (error) {
      forgetAnswer(c)
      throw error
    }
  }
}

/** The credential of a caller with the proof and the right that the operation needs. The look-up checks both. */
function claimOf(operation: Operation, credential: Credential): Credential {
  const needs = rightOf(operation) ?? undefined
  if (credential.kind === "key") return { ...credential, needs }
  const guard = guardOf(operation)
  return { ...credential, needs, ...(guard !== null && guard.when === undefined && { proved: true as const }) }
}

/** Makes all verbs of a request act with what its operation needs. */
export function claimRights(c: HonoContext<AppEnv>, operation: Operation): void {
  const credential = c.get("credential") as Credential | undefined
  if (credential) c.set("credential", claimOf(operation, credential))
}

async function checkRights(c: HonoContext<AppEnv>, operation: Operation): Promise<void> {
  const credential = c.get("credential") as Credential | undefined
  // An open operation has no credential, and the token of a call was already checked.
  if (!credential) return
  const proved = claimOf(operation, credential)
  const role = c.req.path.startsWith(FOR_ADMINS) ? ({ role: "admin" } as const) : {}
  const { actor } = await readAs(c.get("ctx"), proved, (db) => db.selectFrom("caller").select("user_id"), role)
  const { keyScope, spaceRole } = operation
  const place = c.req.param()
  // The path may be what is wrong. An id that cannot be stored names no space.
  const isStorable = Object.values(place).every((id) => storable(id) === id)
  if (spaceRole && isStorable && proved.kind === "session") await spaceRole(c.get("ctx"), proved, place)
  if (actor.kind !== "key" || keyScope === undefined) return
  const isEnough =
    keyScope === "created" ? actor.scope !== "space" : actor.scope === "all" && !(keyScope === "live all" && actor.test)
  if (!isEnough) throw new TurnpikeError("SCOPE_DENIED", `This operation needs ${KEYS[keyScope]}.`)
}

const KEYS: Record<NonNullable<Operation["keyScope"]>, string> = {
  created: "a key whose scope is not one space",
  all: "a key with the scope `all`",
  "live all": "a live key with the scope `all`",
}

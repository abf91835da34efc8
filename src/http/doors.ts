import { createHash } from "node:crypto"
import type { Context as HonoContext } from "hono"
import { createMiddleware } from "hono/factory"
import { parseBaseEnv } from "../base/env.ts"
import { type ErrorCode, TurnpikeError } from "../base/errors.ts"
import { createRateLimit, type Rate, type RateLimit } from "../platform/rate-limit.ts"
import { createRedis } from "../platform/redis.ts"
import type { AppEnv } from "./app-env.ts"
import { DOORS, REMEMBERED_KEYS } from "./policies.ts"

/**
 * The limit on a kind of request from the caller's address; null without an address, since all such
 * callers would share it.
 */
export function limitAt(c: HonoContext<AppEnv>, name: string, rate: Rate): RateLimit | null {
  const ctx = c.get("ctx")
  if (ctx.address === null) return null
  const redis = () => createRedis(parseBaseEnv(c.env), ctx.meter)
  return createRateLimit(redis, { name: `door:${name}`, address: ctx.address, rate, shut: ctx.doors.shut })
}

/**
 * Enforces the limits in DOORS for each address. Throws LOGIN_THROTTLED, or UNAVAILABLE without
 * Redis: there are no new sign-ins then.
 */
export const guardDoors = createMiddleware<AppEnv>(async (c, next) => {
  const name = nameOf(c)
  const door = DOORS[name]
  const limit = door && limitAt(c, name, door)
  if (!limit) return next()
  if (door.counts === "tries") {
    refuse(c, await limit.take())
    return next()
  }
  const { keys, strangers } = c.get("ctx").doors
  const secret = secretAt(c)
  const isKnown = () => secret !== null && keys.has(secret)
  if (isKnown() || limit.known() === 0) await next()
  // The secret may still be correct, since servers share addresses with other clients. It is
  // checked, but few at a time.
  else if (secret !== null) await strangers.pass(next, () => throttled(c, limit.known()))
  else throw throttled(c, limit.known())
  if (secret !== null && c.error instanceof TurnpikeError && WRONG_SECRET.has(c.error.code)) keys.delete(secret)
  if (c.res.status >= 400 && c.res.status < 500 && !isKnown()) refuse(c, await limit.take())
  return undefined
})

const WRONG_SECRET = new Set<string>(["INVALID_INTERNAL_SECRET", "INVALID_WEBHOOK_SECRET"] satisfies ErrorCode[])

const nameOf = (c: HonoContext<AppEnv>) => `${c.req.method === "HEAD" ? "GET" : c.req.method} ${c.req.path}`

/**
 * The digest of the server's secret for this operation and host; null if the operation has no secret or none is sent.
 */
function secretAt(c: HonoContext<AppEnv>): string | null {
  const name = nameOf(c)
  const header = DOORS[name]?.secret
  const secret = header && c.req.header(header)
  if (!secret) return null
  return createHash("sha256")
    .update(JSON.stringify([name, new URL(c.req.url).host, secret]))
    .digest("hex")
}

/** Records that a server's secret was correct. From then on, failures from its address do not block it. */
export function noteRightSecret(c: HonoContext<AppEnv>): void {
  const secret = secretAt(c)
  if (secret !== null) remember(c.get("ctx").doors.keys, secret)
}

/** Remembers the digest of an accepted key or secret. */
export function remember(keys: Set<string>, digest: string): void {
  if (keys.size >= REMEMBERED_KEYS) keys.clear()
  keys.add(digest)
}

function refuse(c: HonoContext<AppEnv>, waitMs: number): void {
  if (waitMs > 0) throw throttled(c, waitMs)
}

function throttled(c: HonoContext<AppEnv>, waitMs: number): TurnpikeError {
  const seconds = secondsOf(waitMs)
  c.get("ctx").log("info", "door.shut", { wait_seconds: seconds })
  forgetAnswer(c)
  return new TurnpikeError("LOGIN_THROTTLED", `Too many requests from this address. Try again in ${seconds} s.`, {
    retryAfter: seconds,
  })
}

/** The value for Retry-After in whole seconds, rounded up. */
export const secondsOf = (waitMs: number) => Math.max(1, Math.ceil(waitMs / 1000))

/** Discards a response. Otherwise Hono would copy its headers to the error that replaces it. */
export function forgetAnswer(c: HonoContext<AppEnv>): void {
  if (!c.finalized) return
  c.res = undefined
  c.finalized = false
  c.header("WWW-Authenticate", undefined)
}

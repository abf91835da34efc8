import { createHash } from "node:crypto"
import type { Context as HonoContext } from "hono"
import { createMiddleware } from "hono/factory"
import { parseBaseEnv } from "../base/env.ts"
import { type ErrorCode, TurnpikeError } from "../base/errors.ts"
import { createRateLimit, type Rate, type RateLimit } from "../platform/rate-limit.ts"
import { createRedis } from "../platform/redis.ts"
import type { AppEnv } from "./app-env.ts"
import { DOORS, REMEMBERED_KEYS } from "./policies.ts"

/** The limit of one kind of request from the caller's address; null without one, when nobody can be told from all others. */
export function limitAt(c: HonoContext<AppEnv>, name: string, rate: Rate): RateLimit | null {
  const ctx = c.get("ctx")
  if (ctx.address === null) return null
  const redis = () => createRedis(parseBaseEnv(c.env), ctx.meter)
  return createRateLimit(redis, { name: `door:${name}`, address: ctx.address, rate, shut: ctx.doors.shut })
}

/** Holds every address to the limits of DOORS. LOGIN_THROTTLED; UNAVAILABLE without Redis, as nobody signs in anew then. */
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
  // It may be right all the same, as servers share addresses with strangers. So it is looked at, but few of them at a time.
  else if (secret !== null) await strangers.pass(next, () => throttled(c, limit.known()))
  else throw throttled(c, limit.known())
  if (secret !== null && c.error instanceof TurnpikeError && WRONG_SECRET.has(c.error.code)) keys.delete(secret)
  if (c.res.status >= 400 && c.res.status < 500 && !isKnown()) refuse(c, await limit.take())
  return undefined
})

const WRONG_SECRET = new Set<string>(["INVALID_INTERNAL_SECRET", "INVALID_WEBHOOK_SECRET"] satisfies ErrorCode[])

const nameOf = (c: HonoContext<AppEnv>) => `${c.req.method === "HEAD" ? "GET" : c.req.method} ${c.req.path}`

/** The secret of a server at this door and host, by its digest; null where none is sent, or none is asked for. */
function secretAt(c: HonoContext<AppEnv>): string | null {
  const name = nameOf(c)
  const header = DOORS[name]?.secret
  const secret = header && c.req.header(header)
  if (!secret) return null
  return createHash("sha256")
    .update(JSON.stringify([name, new URL(c.req.url).host, secret]))
    .digest("hex")
}

/** Notes that the server's secret is right: it is not counted from here on, whatever comes from its address. */
export function noteRightSecret(c: HonoContext<AppEnv>): void {
  const secret = secretAt(c)
  if (secret !== null) remember(c.get("ctx").doors.keys, secret)
}

/** Remembers a key or secret, by its digest, as one that was let in. */
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

/** Whole seconds for Retry-After, after which it works. */
export const secondsOf = (waitMs: number) => Math.max(1, Math.ceil(waitMs / 1000))

/** Takes back an answer: else Hono would give its headers to the error that takes its place. */
export function forgetAnswer(c: HonoContext<AppEnv>): void {
  if (!c.finalized) return
  c.res = undefined
  c.finalized = false
  c.header("WWW-Authenticate", undefined)
}

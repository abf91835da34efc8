import type { Context as HonoContext } from "hono"
import { createMiddleware } from "hono/factory"
import { parseBaseEnv } from "../base/env.ts"
import { TurnpikeError } from "../base/errors.ts"
import { createRateLimit, type Rate, type RateLimit } from "../platform/rate-limit.ts"
import { createRedis } from "../platform/redis.ts"
import type { AppEnv } from "./app-env.ts"
import { DOORS } from "./policies.ts"

/** The limit of one kind of request from the caller's address; null without one, when nobody can be told from all others. */
export function limitAt(c: HonoContext<AppEnv>, name: string, rate: Rate): RateLimit | null {
  const ctx = c.get("ctx")
  if (ctx.address === null) return null
  const redis = () => createRedis(parseBaseEnv(c.env), ctx.meter)
  return createRateLimit(redis, { name: `door:${name}`, address: ctx.address, rate, shut: ctx.doors.shut })
}

/** Holds every address to the limits of DOORS. LOGIN_THROTTLED; UNAVAILABLE without Redis, as nobody signs in anew then. */
export const guardDoors = createMiddleware<AppEnv>(async (c, next) => {
  const name = `${c.req.method === "HEAD" ? "GET" : c.req.method} ${c.req.path}`
  const door = DOORS[name]
  const limit = door && limitAt(c, name, door)
  if (!limit) return next()
  if (door.counts === "tries") {
    refuse(c, await limit.take())
    return next()
  }
  refuse(c, limit.known())
  await next()
  if (c.res.status >= 400 && c.res.status < 500) refuse(c, await limit.take())
  return undefined
})

function refuse(c: HonoContext<AppEnv>, waitMs: number): void {
  if (waitMs <= 0) return
  const seconds = secondsOf(waitMs)
  c.get("ctx").log("info", "door.shut", { wait_seconds: seconds })
  forgetAnswer(c)
  throw new TurnpikeError("LOGIN_THROTTLED", `Too many requests from this address. Try again in ${seconds} s.`, {
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

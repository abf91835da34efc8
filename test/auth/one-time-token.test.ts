import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { describeError } from "../../src/platform/log.ts"
import type { AuthContext } from "../../src/sign-in/auth-context.ts"
import { consumeToken, mintToken, peekToken, tokenKey } from "../../src/sign-in/one-time-token.ts"
import { TOKEN_POLICY } from "../../src/sign-in/policies.ts"
import { authContextOf } from "../harness/auth.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
let ctx: AuthContext
beforeAll(async () => {
  world = await createWorld()
  ctx = authContextOf(world)
})
afterAll(() => world.close())

describe("A one-time token", () => {
  test("A token is 256 bits, and Redis has only its hash", async () => {
    const { token, expiresAt } = await mintToken(ctx, "sign_in", { user_id: 7 })
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(expiresAt.getTime() - world.clock.ms()).toBe(TOKEN_POLICY.sign_in.ttlMs)
    expect(tokenKey("sign_in", token)).not.toContain(token)
    expect(await ctx.redis.get(tokenKey("sign_in", token))).not.toContain(token)
  })

  test("Of 100 concurrent requests, one gets the token", async () => {
    const { token } = await mintToken(ctx, "sign_in", { user_id: 7 })
    expect((await peekToken(ctx, "sign_in", token))?.payload).toEqual({ user_id: 7 })
    const got = await Promise.all(Array.from({ length: 100 }, () => consumeToken(ctx, "sign_in", token)))
    expect(got.filter((one) => one !== null).map((one) => one?.payload)).toEqual([{ user_id: 7 }])
    expect(await peekToken(ctx, "sign_in", token)).toBeNull()
  })

  test("A token works only for its purpose and until it expires", async () => {
    const { token } = await mintToken(ctx, "web_login", {}, 60_000)
    expect(await consumeToken(ctx, "sign_in", token)).toBeNull()
    await world.advance(59_999)
    expect(await peekToken(ctx, "web_login", token)).not.toBeNull()
    await world.advance(1)
    expect(await consumeToken(ctx, "web_login", token)).toBeNull()
  })

  test("A malformed token costs no round trip", async () => {
    const own = authContextOf(world)
    for (const token of ["", "x", "a".repeat(44), "*".repeat(43)])
      expect(await consumeToken(own, "sign_in", token)).toBeNull()
    expect(own.meter.header(0)).toContain('redis;dur=0.0;desc="calls=0"')
  })

  test("A token is UNAVAILABLE while Redis is down, and the error contains no part of it", async () => {
    await world.plan([{ service: "redis", call: 1, times: 9, action: "fail", when: "before" }])
    const failed = await mintToken(ctx, "sign_in", {})
      .catch((error: unknown) => error)
      .finally(world.clearFaults)
    expect(failed).toMatchObject({ code: "UNAVAILABLE", retryAfter: 60 })
    expect(describeError(failed)).not.toMatch(/token:/)
  })
})

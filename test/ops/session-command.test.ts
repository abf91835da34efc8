import { afterAll, beforeAll, expect, test } from "vitest"
import { runSession } from "../../src/ops/users.ts"
import { signInAdmin } from "../harness/books.ts"
import { contextOf } from "../harness/context.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const HOUR_MS = 3_600_000

const cookieOf = (printed: string) => /^cookie (token=\S+)/.exec(printed)?.[1] ?? ""

test("The cookie that the command line prints signs its user in while Redis fails, for an hour", async () => {
  const { userId } = await signInAdmin(world)
  const keys = world.env.SECRETS_KEYS
  const cookie = cookieOf(await runSession(contextOf(world), keys, userId))
  const call = async (path: string, given = cookie) =>
    world.invoke(new Request(`https://api.test${path}`, { headers: { cookie: given } }))
  await world.plan([{ service: "redis", call: 1, times: 99, action: "fail", when: "before" }])
  const [me, system] = [await call("/api/auth/me"), await call("/api/admin/system")]
  await world.clearFaults()
  expect([me.status, system.status]).toEqual([200, 200])
  expect(await me.json()).toMatchObject({ user_id: userId })
  expect((await call("/api/auth/me", cookie.slice(0, -1))).status).toBe(401)
  await world.advance(HOUR_MS)
  expect((await call("/api/auth/me")).status).toBe(401)
})

test("The command line makes no session for a disabled account, and none without the key ring", async () => {
  const { userId } = await world.createAccount()
  await expect(runSession(contextOf(world), undefined, userId)).rejects.toThrow("SECRETS_KEYS")
  await world.sql("update users set disabled_at = $2 where user_id = $1", [userId, world.clock.now()])
  await expect(runSession(contextOf(world), world.env.SECRETS_KEYS, userId)).rejects.toThrow("disabled")
})

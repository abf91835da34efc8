import { afterAll, beforeAll, expect, test } from "vitest"
import { createPerson } from "../harness/auth.ts"
import { holdRows, untilBlocked, waitForLocks } from "../harness/locks.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
  await waitForLocks(world)
})
afterAll(() => world.close())

const PASSWORD = "correct horse battery staple"

/** Ends the user's sessions with this change of their row while the request waits for that row. */
async function endWhile(userId: number, change: string, ask: () => Promise<Response>) {
  const letGo = await holdRows(world, `select from users where user_id = ${userId} for update`, {
    last: `update users set session_epoch = session_epoch + 1, ${change} where user_id = ${userId}`,
  })
  const asked = ask()
  await untilBlocked(world)
  await letGo()
  return asked
}

const WAYS = [
  ["ends the others", "DELETE", "/api/account/sessions", undefined, [401]],
  ["ends all", "DELETE", "/api/account/sessions?which=all", undefined, [401]],
  ["sets another password", "PUT", "/api/account/password", { new_password: PASSWORD }, [401, 409]],
] as const

test.each(WAYS)(
  "A session that is ended while it %s does not continue as another session",
  async (_, method, path, body, refusals) => {
    const { userId } = await createPerson(world)
    const thief = await world.signIn(userId)
    const response = await endWhile(userId, "name = 'Ada'", () => thief.call(method, path, body))
    expect(refusals).toContain(response.status)
    expect(response.headers.get("set-cookie")).toBeNull()
    expect((await thief.call("GET", "/api/auth/me")).status).toBe(401)
    expect(await world.sql("select 1 from users where user_id = $1 and password_hash is not null", [userId])).toEqual(
      [],
    )
  },
)

test("A session does not survive when its account is disabled during the request and enabled later", async () => {
  const { userId } = await createPerson(world)
  const browser = await world.signIn(userId)
  const response = await endWhile(userId, "disabled_at = now()", () => browser.call("DELETE", "/api/account/sessions"))
  expect(response.status).toBe(401)
  await world.sql("update users set disabled_at = null where user_id = $1", [userId])
  expect((await browser.call("GET", "/api/auth/me")).status).toBe(401)
})

import { afterAll, beforeAll, expect, test } from "vitest"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { cappedAccount } from "../harness/caps.ts"
import { expectPromises } from "../harness/promises.ts"
import { sendUntilItWaits } from "../harness/waiting.ts"
import { createWorld, turnOf, type World } from "../harness/world.ts"

let world: World
let admin: Admin
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
})
afterAll(() => world.close())

const reason = "Ticket 4711: the turn hangs"
const pathOf = (turnId: string) => `/api/admin/turns/${turnId}`

const auditOf = (turnId: string) =>
  world.sql("select action, actor_user_id::int as actor, before, after from audit_log where subject_id = $1", [turnId])

test("An operator cancels a turn of any account with a reason, which is audited, and its owner sees it", async () => {
  const { client, space, userId } = await cappedAccount(world)
  const browser = await world.signIn(userId)
  const { turn_id } = await turnOf(await client.sendTurn({ space, text: "hello" }))
  expect((await admin.json("POST", `${pathOf(turn_id)}/cancel`, {}))[0], "without a reason").toBe(422)
  const cancelled = { turn_id, state: "cancelled", status_reason: "operator", held_usd: 0 }
  for (let n = 0; n < 2; n++)
    expect(await admin.json("POST", `${pathOf(turn_id)}/cancel`, { reason })).toMatchObject([200, cancelled])
  expect(await client.getTurn(turn_id)).toMatchObject({ state: "cancelled", status_reason: "operator" })
  expect(await auditOf(turn_id)).toEqual([
    { action: "turn.cancel", actor: admin.userId, before: null, after: { reason } },
  ])
  const [, { items }] = await browser.json("GET", `/api/account/activity?subject_id=${turn_id}`)
  expect(items).toMatchObject([{ action: "turn.cancel", by: "operator", name: null, after: null }])
  const done = await client.runTurn({ space, text: "hello" })
  expect(await admin.json("POST", `${pathOf(done.turn_id)}/cancel`, { reason })).toMatchObject([
    409,
    { code: "TURN_FINISHED" },
  ])
  expect((await browser.json("POST", `${pathOf(done.turn_id)}/cancel`, { reason }))[0]).toBe(403)
  expect((await admin.json("POST", `${pathOf("turn_none")}/cancel`, { reason }))[0]).toBe(404)
  await expectPromises(world, userId)
})

test("The owner sees neither name nor reason of an operator whose own account was handed over", async () => {
  const { client, space, userId } = await cappedAccount(world)
  const browser = await world.signIn(userId)
  const other = await signInAdmin(world)
  for (const role of ["none", "developer"]) {
    await world.sql("update users set own_role = $2 where user_id = $1", [other.userId, role])
    const { turn_id } = await turnOf(await client.sendTurn({ space, text: "hello" }))
    expect((await other.json("POST", `${pathOf(turn_id)}/cancel`, { reason }))[0]).toBe(200)
    const [, { items }] = await browser.json("GET", `/api/account/activity?subject_id=${turn_id}`)
    const hidden = { name: null, member_id: null, role: null, before: null, after: null }
    expect(items).toMatchObject([{ action: "turn.cancel", by: "operator", ...hidden }])
  }
})

test("An operator raises the limit that a turn waits for, and the turn continues", async () => {
  const { client, space, userId } = await cappedAccount(world)
  const text = "[steps 4]\n[use input=10 output=200]\n[reply Finished.]"
  const { turn_id } = await sendUntilItWaits(world, client, { space, text, on_limit: "wait", max_cost_usd: 0.0026 })
  const raise = (max_cost_usd: number) => admin.json("PATCH", pathOf(turn_id), { max_cost_usd, reason })
  expect(await raise(0.001)).toMatchObject([422, { detail: [{ loc: ["body", "max_cost_usd"] }] }])
  expect(await raise(0.5)).toMatchObject([200, { turn_id, max_cost_usd: 0.5 }])
  expect(await auditOf(turn_id)).toEqual([
    {
      action: "turn.raise",
      actor: admin.userId,
      before: { max_cost_credit_micros: 26_000 },
      after: { max_cost_credit_micros: 5_000_000, reason },
    },
  ])
  await world.drain()
  expect(await client.getTurn(turn_id)).toMatchObject({ state: "done", result: expect.stringContaining("Finished.") })
  expect(await raise(1)).toMatchObject([409, { code: "TURN_FINISHED" }])
  await expectPromises(world, userId)
})

test("An operator cancels a turn that waits, and its hold is released", async () => {
  const { client, space, userId } = await cappedAccount(world)
  const text = "[steps 4]\n[use input=10 output=200]"
  const { turn_id } = await sendUntilItWaits(world, client, { space, text, on_limit: "wait", max_cost_usd: 0.0026 })
  const [status, turn] = await admin.json("POST", `${pathOf(turn_id)}/cancel`, { reason })
  expect([status, turn.state, turn.held_usd]).toEqual([200, "cancelled", 0])
  expect(turn.billed_cost_usd).toBeGreaterThan(0)
  await expectPromises(world, userId)
})

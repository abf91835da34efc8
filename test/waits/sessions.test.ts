import { afterAll, beforeAll, expect, test } from "vitest"
import { cappedAccount } from "../harness/caps.ts"
import { expectPromises } from "../harness/promises.ts"
import { CHAT, type Session, type Shared, SPACES, shareSpace } from "../harness/shared-space.ts"
import { sendUntilItWaits, serveTools } from "../harness/waiting.ts"
import { refundText, refundTool } from "../harness/waiting-tools.ts"
import { createWorld, type World } from "../harness/world.ts"

const WAITING = "/api/account/waiting-turns"

let world: World
let shared: Shared
let customer: ReturnType<typeof serveTools>
beforeAll(async () => {
  world = await createWorld()
  customer = serveTools(world)
  shared = await shareSpace(world, "waits")
  const { name, ...tool } = refundTool()
  const [status] = await shared.owner.json("PUT", `${SPACES}/${shared.space}/tools/${name}`, tool)
  expect(status).toBe(200)
})
afterAll(() => world.close())

const turnPath = (turnId: string) => `/api/account/turns/${turnId}`
const decide = (browser: Session, turnId: string, body: object) =>
  browser.json("POST", `${turnPath(turnId)}/calls/0.0/decision`, body)

/** A turn that asks for a refund of 80 USD, sent by a person. */
async function ask(sender: Session): Promise<string> {
  customer.requests.length = 0
  const text = refundText(80)
  const [status, turn] = await sender.json("POST", CHAT, { space: shared.space, text })
  expect([status, turn]).toMatchObject([202, {}])
  await world.drain()
  return turn.turn_id
}

const seenBy = async (browser: Session, query = "") =>
  (await browser.json("GET", `${WAITING}${query}`))[1] as { items: { turn_id: string }[]; total: number }

test("The owner, the sender and the space's admins see a waiting turn with their roles, and no other user does", async () => {
  const { owner, people, stranger, space } = shared
  const turnId = await ask(people.member)
  const seen = async (browser: Session) => {
    const { items, total } = await seenBy(browser, `?space=${space}&turn=${turnId}&waiting=approval`)
    expect(total).toBe(items.length)
    return items
  }
  const wait = { for: "approval", limit: null, calls: [{ call: "0.0", tool: "refund", input: { amount: 80 } }] }
  const turn = { turn_id: turnId, space, space_title: "Shared", max_cost_usd: null, waiting: wait }
  expect(await seen(owner)).toMatchObject([{ ...turn, role: "owner", readable: true, text: refundText(80) }])
  expect(await seen(people.admin)).toMatchObject([{ ...turn, role: "admin", readable: false, text: null }])
  expect(await seen(people.owner)).toMatchObject([{ ...turn, role: "admin", readable: false, text: null }])
  expect(await seen(people.member)).toMatchObject([
    { ...turn, role: "member", readable: true, text: refundText(80), key_id: null },
  ])
  for (const other of [people.guest, people.team, stranger]) expect(await seen(other)).toEqual([])
  expect((await seenBy(owner, "?waiting=limit")).items).toEqual([])
  expect((await seenBy(owner, "?test=true")).items).toEqual([])
  const [, listed] = await owner.json("GET", "/api/account/turns?waiting=approval")
  expect(listed.items).toMatchObject([{ turn_id: turnId }])
  await decide(owner, turnId, { decision: "deny" })
  expect(await seen(owner)).toEqual([])
})

test("A member may not decide, an admin of the workspace may, and the log has who did", async () => {
  const { owner, people, stranger } = shared
  const turnId = await ask(people.member)
  const allow = { decision: "allow", input: { order: "A-1", amount: 40 } }
  expect(await decide(people.member, turnId, allow)).toMatchObject([403, { code: "SPACE_ROLE_REQUIRED" }])
  for (const other of [people.guest, stranger]) {
    expect(await decide(other, turnId, allow)).toMatchObject([404, { code: "NOT_FOUND" }])
  }
  const answer = await decide(people.admin, turnId, allow)
  const decided_at = world.clock.now().toISOString()
  expect(answer).toEqual([200, { turn_id: turnId, call: "0.0", decision: "allow", edited: true, decided_at }])
  await world.drain()
  expect(customer.requests.map(({ body }) => JSON.parse(body))).toEqual([{ order: "A-1", amount: 40 }])
  const [, { items }] = await owner.json("GET", `${turnPath(turnId)}/events`)
  expect(items.find(({ type }: { type: string }) => type === "call.decided").data).toMatchObject({
    decision: "allow",
    edited: true,
    by: { kind: "user", user_id: people.admin.userId },
  })
  const activity = `/api/account/activity?action=call.decide&subject_id=${turnId}`
  expect((await owner.json("GET", activity))[1].items).toMatchObject([
    { by: "member", member_id: people.admin.userId, after: { decision: "allow" } },
  ])
  expect((await people.admin.json("GET", activity))[1].items).toEqual([])
  await expectPromises(world, shared.client.userId)
})

test("Another decision is 409 with the first one and who made it, also after the turn has ended", async () => {
  const { owner, people } = shared
  const turnId = await ask(owner)
  expect(await decide(people.admin, turnId, { decision: "deny", message: "Ask Ada." })).toMatchObject([200, {}])
  const earlier = {
    decision: "deny",
    edited: false,
    user_id: people.admin.userId,
    name: "Somebody",
    key_id: null,
  }
  expect(await decide(owner, turnId, { decision: "allow" })).toMatchObject([
    409,
    { code: "CALL_DECIDED", details: { earlier } },
  ])
  await world.drain()
  expect(await decide(owner, turnId, { decision: "allow" })).toMatchObject([
    409,
    { code: "TURN_FINISHED", details: { state: "done", earlier } },
  ])
  expect(customer.requests).toEqual([])
})

test("An edited input that does not fit the tool's schema is an error of the field, and nothing is decided", async () => {
  const { owner } = shared
  const turnId = await ask(owner)
  const [status, { detail }] = await decide(owner, turnId, { decision: "allow", input: { order: "A-1" } })
  expect([status, detail]).toMatchObject([422, [{ loc: ["body", "input"] }]])
  expect((await seenBy(owner, `?turn=${turnId}`)).items).toHaveLength(1)
  await decide(owner, turnId, { decision: "deny" })
  await world.drain()
})

test("The owner raises the limit of a waiting turn, and a stranger does not see it", async () => {
  const { client, space, userId } = await cappedAccount(world)
  const owner = await world.signIn(userId)
  const text = "[steps 4]\n[use input=10 output=200]\n[reply Finished.]"
  const body = { space, text, on_limit: "wait", max_cost_usd: 0.0026 }
  const { turn_id } = await sendUntilItWaits(world, client, body)
  const { items } = await seenBy(owner)
  const limit = { kind: "max_cost", resets_at: null }
  expect(items).toMatchObject([{ turn_id, max_cost_usd: 0.0026, role: "owner", waiting: { for: "limit", limit } }])
  const raise = { max_cost_usd: 0.5 }
  expect(await shared.stranger.json("PATCH", turnPath(turn_id), raise)).toMatchObject([404, { code: "NOT_FOUND" }])
  const [lower, { detail }] = await owner.json("PATCH", turnPath(turn_id), { max_cost_usd: 0.001 })
  expect([lower, detail]).toMatchObject([422, [{ loc: ["body", "max_cost_usd"] }]])
  expect(await owner.json("PATCH", turnPath(turn_id), raise)).toMatchObject([200, { turn_id, waiting: null }])
  await world.drain()
  expect(await client.getTurn(turn_id)).toMatchObject({ state: "done" })
})

import { afterAll, beforeAll, expect, test } from "vitest"
import { RELEASE } from "../../src/platform/procedures.ts"
import { ownerClientOf } from "../harness/estate.ts"
import { createPortalBrowser, makePortal } from "../harness/portal.ts"
import { expectPromises } from "../harness/promises.ts"
import { laterTool, sendUntilItWaits, serveTools } from "../harness/waiting.ts"
import { refundTool } from "../harness/waiting-tools.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
let customer: ReturnType<typeof serveTools>
beforeAll(async () => {
  world = await createWorld()
  customer = serveTools(world)
})
afterAll(() => world.close())

const ALLOW = { decision: "allow" }
const DENY = { decision: "deny" }
const EDITED = { decision: "allow", input: { order: "A-1", amount: 40 } }
const DENIED = { decision: "deny", message: "Ask Ada." }

/** A body that is sent, another one that is not, and the doors that take it. */
const KINDS: { kind: string; body: object; other: object; doors: Door[] }[] = [
  { kind: "an allow", body: ALLOW, other: DENY, doors: ["key", "dashboard", "portal"] },
  { kind: "a deny", body: DENY, other: ALLOW, doors: ["key", "dashboard", "portal"] },
  { kind: "a deny with a message", body: DENIED, other: DENY, doors: ["key", "dashboard"] },
  { kind: "an allow of another input", body: EDITED, other: ALLOW, doors: ["key", "dashboard"] },
  { kind: "an output", body: { output: { label: "L-1" } }, other: { output: "L-2" }, doors: ["key", "token"] },
  { kind: "an error", body: { error: "No paper." }, other: { output: "L-1" }, doors: ["key", "token"] },
]
type Door = "key" | "dashboard" | "portal" | "token"
const CASES = KINDS.flatMap(({ doors, ...what }) => doors.map((door) => ({ ...what, door, others: doors })))

interface Answer {
  status: number
  replayed: boolean
  // biome-ignore lint/suspicious/noExplicitAny: each door answers its own shape
  body: any
}

/** A turn that waits for two calls, and the doors to the first one. */
async function waitForTwo(isResult: boolean) {
  const client = await world.createAccount()
  const owner = await ownerClientOf(world, client)
  const browser = await world.signIn(client.userId)
  const space = await client.space({ tools: [laterTool(), refundTool()] })
  customer.requests.length = 0
  const one = isResult ? "call print {}]" : 'call refund {"order":"A-1","amount":80}]'
  const turn = await sendUntilItWaits(world, client, {
    space,
    end_user_ref: "ada",
    text: `[${one}\n[and ${one}`,
    metadata: { order: "private" },
  })
  const tokens = customer.requests.map(({ headers }) => headers["turnpike-result-token"])
  const calls = customer.requests.map(({ headers }) => headers["idempotency-key"]?.split(".").at(-1))
  const token = tokens[calls.indexOf("0")]
  const path = `/turns/${turn.turn_id}/calls/0.0/${isResult ? "result" : "decision"}`
  const bearer = { authorization: `Bearer ${token}` }
  const ask: Record<Door, (body: object, keyed: Record<string, string>) => Promise<Response>> = {
    key: (body, keyed) => client.call("POST", `/v1${path}`, body, keyed),
    token: (body, keyed) => client.call("POST", `/v1${path}`, body, { ...bearer, ...keyed }),
    dashboard: (body, keyed) => browser.call("POST", `/api/account${path}`, body, keyed),
    portal: async (body) => {
      const portal = createPortalBrowser(world)
      const ada = await portal.open(await makePortal(client, "ada"))
      return ada.decide(turn.turn_id, (body as { decision: string }).decision)
    },
  }
  async function send(door: Door, body: object, key?: string): Promise<Answer> {
    const response = await ask[door](body, key === undefined ? {} : { "idempotency-key": key })
    const replayed = response.headers.get("idempotent-replayed") === "true"
    return { status: response.status, replayed, body: await response.json() }
  }
  /** Sends for the other call, with which the turn continues. */
  const finish = () => client.call("POST", `/v1${path.replace("0.0", "0.1")}`, isResult ? { output: "second" } : DENY)
  return { client, owner, turnId: turn.turn_id, send, finish, made: customer.requests.length }
}

const codeOf = ({ body }: Answer) => body.error?.code ?? body.code

/** Everything that an effect of a request would change. */
async function stateOf(turnId: string) {
  const [row] = await world.sql<{ state: object }>(
    `select jsonb_build_object('turn', to_jsonb(t), 'calls', (select jsonb_agg(k order by k.call) from turn_calls k where k.turn_id = t.turn_id),
      'answers', (select jsonb_agg(a order by a.call) from call_answers a where a.turn_id = t.turn_id),
      'steps', (select jsonb_agg(p order by p.step) from turn_steps p where p.turn_id = t.turn_id),
      'log', (select count(*) from turn_log l where l.turn_id = t.turn_id),
      'events', (select count(*) from events e where e.user_id = t.user_id)) as state from turns t where t.turn_id = $1`,
    [turnId],
  )
  return { ...row?.state, made: customer.requests.length }
}

test.each(CASES)(
  "$kind through the $door has one effect, and one answer forever",
  async ({ door, body, other, others }) => {
    const isResult = !("decision" in body)
    const { client, owner, turnId, send, finish } = await waitForTwo(isResult)
    // Two at the same time: one has the effect.
    const both = await Promise.all([send(door, body, "first"), send(door, body, "second")])
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    const [answer, twin] = both as [Answer, Answer]
    expect(twin.body).toEqual(answer.body)
    if (door !== "portal") expect(both.map(({ replayed }) => replayed).sort()).toEqual([false, true])
    const key = answer.replayed ? "second" : "first"
    if (isResult) expect(answer.body).toEqual({ turn_id: turnId, call: "0.0", outcome: "taken" })
    else if (door === "portal") expect(answer.body).toEqual(body)
    else {
      const { decision } = body as { decision: string }
      const decided_at = world.clock.now().toISOString()
      expect(answer.body).toEqual({ turn_id: turnId, call: "0.0", decision, edited: "input" in body, decided_at })
    }

    const byDoor: Partial<Record<Door, object>> = { [door]: answer.body }
    async function repeat(moment: string, refusal: string) {
      const before = await stateOf(turnId)
      const isGone = (one: Door) => one === "portal" && moment === "the erasure"
      const about = (what: string) => `${what}, at ${moment}`
      for (const one of others) {
        const again = await send(one, body)
        expect(again.status, about(one)).toBe(isGone(one) ? 404 : 200)
        if (isGone(one)) continue
        byDoor[one] ??= again.body
        expect(again.body, about(one)).toEqual(byDoor[one])
        if (one !== "portal") expect(again.replayed, about(one)).toBe(true)
      }
      for (const one of others) {
        const another = await send(one, other)
        expect([another.status, codeOf(another)], about(one)).toEqual(isGone(one) ? [404, "NOT_FOUND"] : [409, refusal])
      }
      if (door !== "portal") {
        for (const used of [key, `new at ${moment}`]) {
          expect(await send(door, body, used), about(used)).toEqual({ status: 200, replayed: true, body: answer.body })
        }
        const misused = await send(door, other, key)
        expect(misused.status, about(key)).toBe(422)
        expect(JSON.stringify(misused.body)).toContain("This Idempotency-Key was used for a different request.")
      }
      expect(await stateOf(turnId), about("nothing changes")).toEqual(before)
    }

    const differs = isResult ? "CALL_ANSWERED" : "CALL_DECIDED"
    await repeat("the wait for the other call", differs)
    expect((await finish()).status).toBe(200)
    await repeat("the continuation", differs)
    await world.drain()
    expect((await client.getTurn(turnId)).state).toBe("done")
    await repeat("the end", "TURN_FINISHED")
    await expectPromises(world, client.userId)
    for (const data of ["step", "text"]) {
      await world.sql(`select ${RELEASE}.forget_data(0, $2, array[$1], $3, $3)`, [turnId, data, "2100-01-01"])
    }
    expect(await client.getTurn(turnId)).toMatchObject({ text: "", metadata: {}, steps_deleted_at: expect.any(String) })
    await repeat("the deletion of its texts and steps", "TURN_FINISHED")
    expect((await owner.call("DELETE", "/v1/end-users/ada")).status).toBe(200)
    await world.advance(1_000)
    await world.sweep()
    await repeat("the erasure", "TURN_FINISHED")

    const made = customer.requests.map(({ body: sent }) => sent)
    if (isResult) expect(made).toHaveLength(2)
    else
      expect(made).toEqual(
        "input" in body ? ['{"order":"A-1","amount":40}'] : body === ALLOW ? ['{"order":"A-1","amount":80}'] : [],
      )
  },
)

test("A key of a decision or a result is used by no other request, and a key of the token is not one of the account", async () => {
  const { client, turnId, send } = await waitForTwo(true)
  const result = { output: "printed" }
  const taken = await send("token", result, "one")
  expect(taken).toMatchObject({ status: 200, replayed: false })
  const space = await client.call("POST", "/v1/spaces", { title: "Keyed" }, { "idempotency-key": "one" })
  expect(space.status).toBe(201)
  const asKey = await send("key", result, "one")
  expect([asKey.status, codeOf(asKey)]).toEqual([422, "IDEMPOTENCY_KEY_REUSED"])
  expect(await send("token", result, "one")).toEqual({ ...taken, replayed: true })
  const other = (call: string) =>
    client.call("POST", `/v1/turns/${turnId}/calls/${call}/result`, result, { "idempotency-key": "two" })
  expect((await other("0.1")).status).toBe(200)
  expect((await other("0.0")).status).toBe(422)
  const refused = await client.call("POST", `/v1/turns/${turnId}/calls/5.0/result`, result, {
    "idempotency-key": "three",
  })
  expect(refused.status).toBe(409)
  expect((await client.call("POST", "/v1/spaces", { title: "Free" }, { "idempotency-key": "three" })).status).toBe(201)
})

test("The service keeps no content of a result, and no hash that shows two results to be equal", async () => {
  const { client, turnId, send } = await waitForTwo(true)
  await send("key", { output: "yes" })
  await client.call("POST", `/v1/turns/${turnId}/calls/0.1/result`, { output: "yes" })
  const rows = await world.sql<{ fingerprint: string }>("select * from call_answers where turn_id = $1", [turnId])
  expect(rows).toHaveLength(2)
  expect(new Set(rows.map(({ fingerprint }) => fingerprint)).size).toBe(2)
  expect(JSON.stringify(rows)).not.toContain("yes")
})

test("A turn that waits for nothing leaves no such row", async () => {
  const client = await world.createAccount()
  const space = await client.space({ tools: [refundTool()] })
  const { turn_id } = await client.runTurn({ space, text: '[call refund {"order":"A-1","amount":1}]' })
  expect(await world.sql("select 1 from call_answers where turn_id = $1", [turn_id])).toEqual([])
})

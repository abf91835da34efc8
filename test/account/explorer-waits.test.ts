import { afterAll, beforeAll, expect, test } from "vitest"
import type { TurnSummary } from "../../src/turns/find-turns.ts"
import type { TraceSpan } from "../../src/turns/turn-trace.ts"
import { signInAdmin } from "../harness/books.ts"
import { sendUntilItWaits, serveTools, waiter } from "../harness/waiting.ts"
import { refundText, refundTool } from "../harness/waiting-tools.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
  serveTools(world)
})
afterAll(() => world.close())

async function account() {
  const client = await world.createAccount({ usd: 100 })
  let owner = await world.signIn(client.userId)
  const space = await client.space({ title: "Support desk", tools: [refundTool()] })
  const get = async (path: string) => {
    const [status, answer] = await owner.json("GET", `/api/account/${path}`)
    expect(status, JSON.stringify(answer)).toBe(200)
    return answer
  }
  const ids = async (query: string): Promise<string[]> =>
    (await get(`turn-summaries?${query}`)).items.map(({ turn_id }: TurnSummary) => turn_id)
  const signIn = async () => {
    owner = await world.signIn(client.userId)
  }
  return { client, owner, space, get, ids, signIn }
}

const LIMITED = {
  text: "[steps 4]\n[use input=10 output=1000]\n[reply Finished.]",
  max_cost_usd: 0.0068,
  on_limit: "wait",
}

/** An account with a turn that waits for an approval, and one that waits for its own limit. */
async function waiting() {
  const known = await account()
  const { client, space } = known
  const asked = await sendUntilItWaits(world, client, { space, text: refundText(80) })
  const limited = await sendUntilItWaits(world, client, { space, end_user_ref: "limited", ...LIMITED })
  const done = await client.runTurn({ space, end_user_ref: "done" })
  return { ...known, asked, limited, done }
}

test("The filter keeps the turns that wait for this, each with its reason, and without the inputs of its calls", async () => {
  const { ids, get, owner, client, asked, limited, done } = await waiting()
  expect((await ids("waiting=any")).sort()).toEqual([asked.turn_id, limited.turn_id].sort())
  expect(await ids("waiting=approval")).toEqual([asked.turn_id])
  expect(await ids("waiting=limit")).toEqual([limited.turn_id])
  expect(await ids("waiting=result")).toEqual([])
  expect(await ids("waiting=any&q=SUPPORT&state=done")).toEqual([])
  expect(await ids(`waiting=any&conversation=${asked.conversation}`)).toEqual([asked.turn_id])
  const { items } = await get("turn-summaries")
  const { since, expires_at } = asked.waiting
  expect(items.find(({ turn_id }: TurnSummary) => turn_id === asked.turn_id).waiting).toEqual({
    for: "approval",
    since,
    expires_at,
  })
  expect(items.find(({ turn_id }: TurnSummary) => turn_id === done.turn_id).waiting).toBeNull()
  expect(await get("turn-stats?waiting=any")).toMatchObject({ turns: 2, open: 2 })
  const file = await (await owner.call("GET", "/api/account/turn-summaries?waiting=limit&format=csv")).text()
  expect(file).toContain(",running,limit,")
  expect((await owner.json("GET", "/api/account/turn-summaries?waiting=rain"))[0]).toBe(422)
  const admin = await signInAdmin(world)
  const all = `/api/admin/turns?waiting=approval&user_id=${client.userId}`
  const [, seen] = await admin.json("GET", all)
  expect(seen.items).toMatchObject([{ turn_id: asked.turn_id, waiting: { for: "approval" } }])
  expect(JSON.stringify(seen)).not.toContain("A-1")
  expect((await admin.json("GET", `${all}&failure=model_call`))[1].items).toEqual([])
})

test("A turn that waits is in the filtered list even if it was accepted more than 30 days ago", async () => {
  const { client, space, ids, signIn } = await account()
  const body = { space, ...LIMITED, max_wait_seconds: 30 * 86_400 }
  const { turn_id, waiting } = await sendUntilItWaits(world, client, body)
  await world.advance(29 * 86_400_000)
  // The raise is enough for one more call. Then the turn waits again.
  await waiter(client).raise(turn_id, waiting.limit?.needed_usd ?? 0)
  await world.drain()
  await world.advance(2 * 86_400_000)
  await signIn()
  expect(await ids("")).toEqual([])
  expect(await ids("waiting=limit")).toEqual([turn_id])
})

test("The trace has each wait with its reason and what it waits for, until the turn continues or ends", async () => {
  const { client, get, asked, limited, signIn } = await waiting()
  const waitsOf = async (id: string): Promise<TraceSpan[]> =>
    (await get(`turns/${id}/trace`)).spans.filter(({ kind }: TraceSpan) => kind === "wait")
  const approval = { name: "refund", detail: "approval" }
  await world.advance(3_600_000)
  await signIn()
  expect(await waitsOf(asked.turn_id)).toMatchObject([{ ...approval, state: "open" }])
  expect((await waitsOf(asked.turn_id))[0]?.duration_ms).toBeGreaterThanOrEqual(3_600_000)
  await waiter(client).decide(asked.turn_id, { decision: "allow" })
  await world.drain()
  await world.advance(3_600_000)
  await signIn()
  const [wait] = await waitsOf(asked.turn_id)
  expect(wait).toMatchObject({ ...approval, state: "ok" })
  expect(wait?.duration_ms).toBeLessThan(2 * 3_600_000)
  await client.call("POST", `/v1/turns/${limited.turn_id}/cancel`)
  expect(await waitsOf(limited.turn_id)).toMatchObject([{ name: "max_cost", detail: "limit", state: "ok" }])
  expect(JSON.stringify(await get(`turns/${asked.turn_id}/trace`))).not.toContain("A-1")
})

import { afterAll, beforeAll, expect, test } from "vitest"
import { readAnswer } from "../harness/answers.ts"
import { CALLER_TOOLS, CallerLoop, type LoopTurn, OWN_TOOL, randomAnswers } from "../harness/caller-loop.ts"
import { isThorough } from "../harness/crash.ts"
import { addModel } from "../harness/models.ts"
import { expectPromises } from "../harness/promises.ts"
import { createRandom } from "../harness/random.ts"
import { SEQUENCES } from "../harness/random-sequences.ts"
import { PROVIDED_PIN, PROVIDER_URL, scriptProvider } from "../harness/scripted-provider.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

const LOOPS = isThorough ? 4 * SEQUENCES : 50
const TOGETHER = 50

let world: World
let client: TestClient
let admin: TestClient
let stranger: TestClient
let space: string
/** The loops that run, by their number. */
let loops: CallerLoop[] = []
const met: Record<string, number> = {}
const meets = (what: string) => {
  met[what] = (met[what] ?? 0) + 1
}

beforeAll(async () => {
  world = await createWorld({ env: { OPENAI_BASE_URL: PROVIDER_URL } })
  await addModel(world)
  const { serve } = scriptProvider(world, (asked) => {
    const said = asked.messages.findLast(({ role }) => role === "user")?.content
    const loop = loops[Number(/^loop (\d+),/.exec(String(said))?.[1]) % TOGETHER]
    return loop?.answer(asked) ?? { status: 400, message: "no such loop" }
  })
  world.serve("model.test", serve)
  client = await world.createAccount({ usd: 1000 })
  admin = world.createClient(client.userId, (await world.makeKey(client.userId, { scope: "all" })).value)
  stranger = await world.createAccount()
  space = await client.space({ manifest: { builtin_tools: [OWN_TOOL] } })
})
afterAll(() => world.close())

const endUser = ({ n }: CallerLoop) => `customer-${n}`
const sendAs = async (who: TestClient, loop: CallerLoop, body: object, key: string = crypto.randomUUID()) =>
  readAnswer(who.sendTurn({ space, model: PROVIDED_PIN, text: undefined, end_user_ref: endUser(loop), ...body }, key))
const send = (loop: CallerLoop, body: object, key?: string) => sendAs(client, loop, body, key)

type Result = { id: string; output?: string; error?: string }

/** Results of the open calls, in the order of the calls. */
const resultsOf = (loop: CallerLoop): Result[] =>
  loop.open.map(({ id }) => ({ id, [loop.random.pick(["output", "error"])]: `result ${loop.random.int(1e6)}` }))

function shuffled<T>({ random }: CallerLoop, items: readonly T[]): T[] {
  const left = [...items]
  return items.map(() => left.splice(random.int(left.length), 1)[0] as T)
}

/** A turn that the loop wants to send, and its request. `results`: those of the open calls. */
function wish(loop: CallerLoop, results: Result[] | null) {
  const { random, n, sent } = loop
  const choice = random.pick([undefined, undefined, "auto", "none", "required", { name: "find" }] as const)
  // A turn with results has the tools of the turn before.
  const brings = results === null || choice !== undefined || random.int(2) === 0
  const parallel = random.pick([undefined, undefined, true, false])
  const before = brings || (loop.lastDone?.parallel ?? true)
  const text = results === null || random.int(5) === 0 ? `loop ${n}, text ${sent.length}` : null
  const turn: LoopTurn = {
    ...{ id: "", text, continues: results !== null, parallel: parallel ?? before, callable: choice !== "none" },
    ...{ script: [], ends: "done", steps: [], result: "", calls: [], billed: 0, modelCalls: 0 },
  }
  turn.script = randomAnswers(random, turn)
  const body = {
    ...(text !== null && { text }),
    ...(results && { results: shuffled(loop, results) }),
    ...(brings && { tools: CALLER_TOOLS }),
    ...(choice && { tool_choice: choice }),
    ...(parallel !== undefined && { parallel_tool_calls: parallel }),
  }
  return { turn, body, results: results?.map(({ output, error }) => output ?? (error as string)) ?? [] }
}

type Wish = ReturnType<typeof wish>

/** Sends a turn that is accepted: once, or as the same request at the same moment or later. */
async function sendAccepted(loop: CallerLoop, { turn, body, results }: Wish) {
  const key = `${endUser(loop)}-${loop.sent.length}`
  const way = loop.random.pick(["once", "once", "together", "again"])
  const answers = await Promise.all((way === "together" ? [1, 2] : [1]).map(() => send(loop, body, key)))
  if (way === "again") answers.push(await send(loop, body, key))
  const ids = new Set(answers.map(({ body: made }) => made.turn_id))
  expect({ statuses: answers.map(({ status }) => status), ids: ids.size }, JSON.stringify(answers)).toEqual({
    statuses: answers.map(() => 202),
    ids: 1,
  })
  if (way !== "once") meets("repeated request")
  turn.id = answers[0]?.body.turn_id
  loop.accept(turn, results)
  if (loop.random.int(8) === 0) {
    await expectRefused(await send(loop, { ...body, text: "another" }, key), 422, "IDEMPOTENCY_KEY_REUSED")
  }
  if (body.results && loop.random.int(3) === 0) {
    await expectRefused(await send(loop, body), 409, "CALLS_NOT_OPEN")
    meets("results sent twice")
  }
}

async function expectRefused({ status, body }: Awaited<ReturnType<typeof send>>, expected: number, code: string) {
  expect({ status, code: body.error?.code }, JSON.stringify(body)).toEqual({ status: expected, code })
  meets(`refused ${code}`)
}

/** A request that must be refused. */
async function refuse(loop: CallerLoop) {
  const { random, open } = loop
  const other = random.pick(loops.filter((one) => one !== loop))?.sent.flatMap(({ calls }) => calls)
  const foreign = random.pick(other ?? [])?.id || "call_none_0_0"
  const results = resultsOf(loop)
  if (open.length === 0) {
    const old = random.pick(loop.sent.flatMap(({ calls }) => calls))?.id || foreign
    const of = { results: [{ id: random.pick([old, foreign]), output: "late" }] }
    return expectRefused(await send(loop, of), 409, "CALLS_NOT_OPEN")
  }
  const wrong = {
    missing: results.slice(1),
    foreign: [...results.slice(1), { id: foreign, output: "theirs" }],
    more: [...results, { id: foreign, output: "theirs" }],
    twice: [...results, ...results.slice(0, 1)],
  }
  const fault = random.pick([...Object.keys(wrong), "stranger", "conversation", "cost", "cap"])
  if (fault in wrong) {
    return expectRefused(await send(loop, { results: wrong[fault as keyof typeof wrong] }), 422, "VALIDATION_FAILED")
  }
  if (fault === "stranger") return expectRefused(await sendAs(stranger, loop, { results }), 404, "NOT_FOUND")
  if (fault === "conversation") {
    return expectRefused(await send(loop, { results, conversation: "another" }), 409, "CALLS_NOT_OPEN")
  }
  if (fault === "cost") {
    return expectRefused(await send(loop, { results, max_cost_usd: 0.000001 }), 422, "COST_LIMIT_TOO_LOW")
  }
  const limits = `/v1/end-users/${endUser(loop)}/limits`
  await admin.call("PUT", limits, { monthly_usd: 0.000001 })
  await expectRefused(await send(loop, { results }), 429, "QUOTA_EXCEEDED")
  await admin.call("PUT", limits, {})
}

async function cancel(turn: LoopTurn) {
  expect((await client.call("POST", `/v1/turns/${turn.id}/cancel`)).status).toBe(200)
  meets("cancelled")
}

/** One act of a loop: an answer to the open calls, or a text. */
async function act(loop: CallerLoop) {
  const { random } = loop
  if (random.int(2) === 0) await refuse(loop)
  const answers = loop.open.length > 0 && random.int(8) > 0
  if (loop.open.length > 0 && !answers) meets("calls left unanswered")
  const next = wish(loop, answers ? resultsOf(loop) : null)
  const kind = random.int(12)
  if (kind === 0) {
    next.turn.ends = "failed"
    next.turn.script = [{ status: 400, message: "no" }]
    meets("failed")
  }
  await sendAccepted(loop, next)
  if (kind === 1) {
    await cancel(next.turn)
    loop.cancel(next.turn)
  }
  // A text right after it, while it is queued.
  if (kind === 2) await sendAccepted(loop, wish(loop, null))
}

/** Reads the turns that have ended, and compares them with the model's. */
async function compare(loop: CallerLoop, from: number) {
  for (const turn of loop.sent.slice(from)) {
    const shown = await client.getTurn(turn.id)
    expect(
      {
        ...{ state: shown.state, billed: Math.round((shown.billed_cost_usd ?? 0) * 1e7), held: shown.held_usd },
        ...{ modelCalls: shown.usage.model_calls, result: shown.result ?? "", finish: shown.finish },
        calls: shown.calls.map(({ name, input }) => [name, input]),
      },
      `turn ${turn.id}`,
    ).toEqual({
      ...{ state: turn.ends, billed: turn.billed, held: 0, modelCalls: turn.modelCalls, result: turn.result },
      finish: turn.ends === "done" ? (turn.calls.length > 0 ? "tool_calls" : "stop") : null,
      calls: turn.calls.map(({ name, input }) => [name, JSON.parse(input)]),
    })
    for (const [nth, call] of turn.calls.entries()) call.id = shown.calls[nth]?.id ?? ""
    met.calls = (met.calls ?? 0) + turn.calls.length
  }
  expect(loop.faults).toEqual([])
}

/** Erases the end user of a loop, and with it the open calls. */
async function erase(loop: CallerLoop) {
  const results = resultsOf(loop)
  expect((await admin.call("DELETE", `/v1/end-users/${endUser(loop)}`)).status).toBe(200)
  if (results.length === 0) return
  await expectRefused(await send(loop, { results }), 409, "CALLS_NOT_OPEN")
  meets("erased calls")
}

test(`In ${LOOPS} random loops of caller's tools, the model reads each result once, and bills equal the calls`, async () => {
  const { seed } = createRandom("caller-loops")
  const sent: LoopTurn[][] = []
  for (let begin = 0; begin < LOOPS; begin += TOGETHER) {
    loops = Array.from(
      { length: TOGETHER },
      (_, nth) => new CallerLoop(begin + nth, createRandom("", seed + begin + nth)),
    )
    const acts = loops.map(({ random }) => random.pick([1, 1, 2, 2, 3, 4]))
    for (let round = 0; round < Math.max(...acts); round++) {
      const acting = loops.filter((_, nth) => round < (acts[nth] ?? 0))
      const before = acting.map((loop) => loop.sent.length)
      await Promise.all(acting.map(act))
      await world.drain()
      await Promise.all(acting.map((loop, nth) => compare(loop, before[nth] ?? 0)))
    }
    await Promise.all(loops.filter(({ random }) => random.int(10) === 0).map(erase))
    sent.push(...loops.map((loop) => loop.sent))
  }
  const rows = await world.sql<{ turns: string[]; billed: number }>(
    `select array_agg(turn_id order by position) as turns, sum(billed_credit_micros)::float8 as billed,
       max(position) - count(*) as gaps
     from turns where user_id = $1 group by conversation_id having max(position) = count(*)`,
    [client.userId],
  )
  const inOrder = (all: string[][]) => all.map((ids) => ids.join(" ")).toSorted()
  expect(inOrder(rows.map(({ turns }) => turns))).toEqual(inOrder(sent.map((turns) => turns.map(({ id }) => id))))
  const billed = sent.flat().reduce((sum, turn) => sum + turn.billed, 0)
  expect(rows.reduce((sum, row) => sum + row.billed, 0)).toBe(billed)
  await expectPromises(world, client.userId)
  console.log(`seed ${seed}: ${LOOPS} loops, ${sent.flat().length} turns, ${billed} credit micros`, met)
})

import { afterAll, beforeAll, expect, inject, test } from "vitest"
import { newId } from "../../src/base/ids.ts"
import { parseApiKey } from "../../src/keys/api-key.ts"
import { runInPlace } from "../../src/runs/run-in-place.ts"
import { sweepTurns } from "../../src/runs/sweep-turns.ts"
import { acceptTurn } from "../../src/turns/accept-turn.ts"
import { TURN_POLICY } from "../../src/turns/policies.ts"
import { createTurnSchema } from "../../src/turns/schemas.ts"
import { contextOf } from "../harness/context.ts"
import { isPart, isThorough } from "../harness/crash.ts"
import { orderTool, serveCustomer } from "../harness/customer.ts"
import { createIsolate, type Death } from "../harness/killed-runner.ts"
import { addModel, MODEL_PIN } from "../harness/models.ts"
import { expectPromises } from "../harness/promises.ts"
import { passTime } from "../harness/time.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
let answer: (request: Request) => Response | Promise<Response>
let customer: ReturnType<typeof serveCustomer>
beforeAll(async () => {
  world = await createWorld({ upstreams: { model: inject("modelUrl") } })
  await addModel(world)
  customer = serveCustomer({
    serve(host, handler) {
      answer = handler
      world.serve(host, handler)
    },
  })
})
afterAll(() => world.close())

const USE = "[use input=100 output=10]"
const words = Array.from({ length: 12 }, (_, index) => `word${index}`).join(" ")

const TURNS = {
  plain: { text: USE },
  "with a model's server": { text: "hello", model: MODEL_PIN },
  "with three steps": { text: `${USE}\n[steps 3]` },
  "with a tool": { text: `${USE}\n[call lookup_order {"id":"A-1"}]` },
  "that streams for 24 s": { text: `${USE}\n[stream 2000 ms]\n[reply ${words}]` },
} satisfies Record<string, object>
type Kind = keyof typeof TURNS

interface Incident {
  death?: Death
  leaves?: Death
  reads: boolean
}

const isAt = (one: Death, other: Death | undefined) => one.call === other?.call && one.when === other.when

/** Sends a turn as the worker of `/v1` does. Its isolate may die, or its client may leave; then time passes. */
async function run(kind: Kind, { death, leaves, reads }: Incident) {
  const client = await world.createAccount({ usd: 100 })
  const space = await client.space({ tools: [orderTool(customer.host)], secrets: { TOKEN: "canary-token-1" } })
  customer.effects.clear()
  const left = new AbortController()
  const isolate = createIsolate(world, {
    fetch: async (input, init) => {
      const { host } = new URL(input instanceof Request ? input.url : input)
      return host === customer.host ? answer(new Request(input, init)) : globalThis.fetch(input, init)
    },
    death,
    onCall: (moment) => isAt(moment, leaves) && left.abort(new Error("the client has left")),
  })
  const body = createTurnSchema.parse({ space, end_user_ref: "customer-1", ...TURNS[kind] })
  const turnId = newId("turn", world.clock.now())
  const asked = { idempotencyKey: crypto.randomUUID(), turnId, trace: null, body, reads }
  const credential = parseApiKey(client.key)
  if (!credential) throw new Error("no key")
  let isAccepted = false
  const work = (async () => {
    for await (const some of await runInPlace(isolate.ctx, credential, asked, left.signal)) {
      isAccepted ||= some.some(({ kind }) => kind === "accepted")
    }
    await isolate.settled()
    return "ended"
  })()
  const ended = await passTime(world, Promise.race([work, isolate.died]), 200)
  if (!isAccepted) await acceptTurn(contextOf(world), credential, asked)
  const state = async () => (await client.getTurn(turnId)).state
  const firstState = await state()
  for (let round = 0; ["queued", "running"].includes(await state()); round++) {
    if (round === 20) throw new Error("the turn is stuck")
    await world.advance(round === 0 ? TURN_POLICY.leaseMs + 1 : 20_000)
    await sweepTurns(contextOf(world))
    await passTime(world, world.drain(), 200)
  }
  const [turn, ...others] = await expectPromises(world, client.userId)
  const { result } = await client.getTurn(turnId)
  expect(others).toEqual([])
  return {
    fate: { state: turn?.state, billed: turn?.billed, result },
    ended,
    firstState,
    calls: isolate.calls,
    effects: customer.effects.size,
  }
}

const KINDS = Object.keys(TURNS) as Kind[]
const everyNth = isThorough ? 1 : 3
/** On which sides of a call it dies: in a part, each call has one, and the other one in the other way to read. */
const sidesOf = (call: number, reads: boolean) =>
  (["before", "after"] as const).filter((_, side) => !isPart || (call + Number(reads)) % 2 === side)

test.each(KINDS)("A turn %s in place survives the death of its isolate at every I/O", async (kind) => {
  const counts = { boundaries: 0, deaths: 0 }
  for (const reads of isThorough ? [false, true] : [kind !== "plain"]) {
    const undisturbed = await run(kind, { reads })
    expect([undisturbed.ended, undisturbed.firstState]).toEqual(["ended", "done"])
    const boundaries = Object.values(undisturbed.calls).reduce((sum, count) => sum + count, 0)
    counts.boundaries += boundaries
    for (let call = 1; call <= boundaries; call += everyNth) {
      for (const when of sidesOf(call, reads)) {
        const one = await run(kind, { reads, death: { call, when } })
        if (one.ended === "dead") counts.deaths++
        expect(one.effects, `effects, died ${when} call ${call}`).toBe(undisturbed.effects)
        // A stream that was cut is a step of its own, so its rest is a second call with a bill.
        if (kind === "that streams for 24 s") expect(one.fate.state).toBe("done")
        else expect(one.fate, `died ${when} call ${call}`).toEqual(undisturbed.fate)
      }
    }
  }
  console.log(`${kind}: ${JSON.stringify(counts)}`)
  expect(counts.deaths).toBeGreaterThan(1)
})

test.each(KINDS)("A turn %s in place ends once, with one bill, when its client leaves at any I/O", async (kind) => {
  const counts = { boundaries: 0, leaves: 0, handedOver: 0 }
  for (const reads of isThorough ? [false, true] : [kind !== "plain"]) {
    const undisturbed = await run(kind, { reads })
    const boundaries = Object.values(undisturbed.calls).reduce((sum, count) => sum + count, 0)
    counts.boundaries += boundaries
    for (let call = 1; call <= boundaries; call += everyNth) {
      for (const when of sidesOf(call, reads)) {
        const one = await run(kind, { reads, leaves: { call, when } })
        counts.leaves++
        expect([one.ended, one.effects]).toEqual(["ended", undisturbed.effects])
        expect([one.fate.state, one.fate.result], `left ${when} call ${call}`).toEqual([
          "done",
          undisturbed.fate.result,
        ])
        if (one.firstState === "running") counts.handedOver++
        else expect(one.fate, `left ${when} call ${call}`).toEqual(undisturbed.fate)
      }
    }
  }
  console.log(`${kind}: ${JSON.stringify(counts)}`)
  if (kind === "that streams for 24 s") expect(counts.handedOver).toBeGreaterThan(0)
})

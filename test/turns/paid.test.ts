import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { reportLosses } from "../../src/billing/losses.ts"
import { TURN_POLICY } from "../../src/turns/policies.ts"
import { advanceTurn } from "../harness/claim.ts"
import { addModel } from "../harness/models.ts"
import { mortalWorker } from "../harness/mortal-worker.ts"
import { expectPromises } from "../harness/promises.ts"
import {
  PROVIDED_PIN,
  PROVIDER_URL,
  type ProviderScript,
  SCRIPTED_TOKENS,
  scriptProvider,
  tokensOf,
} from "../harness/scripted-provider.ts"
import { passTime } from "../harness/time.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

let world: World
let provider: ReturnType<typeof scriptProvider>
let script: ProviderScript | ((n: number) => ProviderScript) = {}
beforeAll(async () => {
  world = await createWorld({ env: { OPENAI_BASE_URL: PROVIDER_URL } })
  await addModel(world)
  provider = scriptProvider(world, (_asked, n) => (typeof script === "function" ? script(n) : script))
  world.serve("model.test", (request) => provider.serve(request))
})
afterAll(() => world.close())

/** The price of a call, in credit micros. */
const priceOf = (prompt: number, output: number) => prompt * 30 + output * 150
const micros = (usd: number) => Math.round(usd * 1e7)
const wordsOf = (count: number) => Array.from({ length: count }, (_, index) => `word${index} `)
const RESEARCHER = { manifest: { subagents: [{ name: "researcher", description: "Finds out.", model: PROVIDED_PIN }] } }

async function begin(client: TestClient, body: { space: string } & Record<string, unknown>): Promise<string> {
  const { turn_id } = await turnOf(await client.sendTurn({ model: PROVIDED_PIN, ...body }))
  await world.settled()
  return turn_id
}

const stepsOf = (turnId: string) =>
  world.sql<{ finish: string; text: string; cost: number }>(
    "select finish, text, cost_credit_micros::float8 as cost from turn_steps where turn_id = $1 order by step",
    [turnId],
  )

/** Delivers messages until the turn has ended, across waits and lost leases. */
async function runOut(client: TestClient, turnId: string, stepMs = 1000) {
  for (let round = 0; round < 30; round++) {
    await passTime(world, world.drain(), stepMs)
    const turn = await client.getTurn(turnId)
    if (turn.state !== "queued" && turn.state !== "running") return turn
    await world.advance(61_000)
    await world.sweep()
  }
  throw new Error("the turn does not end")
}

describe("Failures and their costs", () => {
  test.each(["INTERNAL", "ENGINE_LOST", "MODEL_UNAVAILABLE", "MODEL_REJECTED", "MINE"])(
    "A script that fails with %s is billed for the sub-agent's earlier call",
    async (code) => {
      script = { words: wordsOf(20) }
      const before = provider.sent.length
      const client = await world.createAccount()
      const space = await client.space(RESEARCHER)
      const text = `[use input=0 output=0]\n[delegate researcher Write a book.]\n[fail ${code}]`
      const turn = await runOut(client, await begin(client, { space, text, model: "rehearsal/standard" }))
      expect(turn).toMatchObject({ state: "failed", error: { code } })
      const [call] = provider.sent.slice(before)
      expect(provider.sent).toHaveLength(before + 1)
      expect(micros(turn.billed_cost_usd)).toBe(priceOf(SCRIPTED_TOKENS, tokensOf(call as NonNullable<typeof call>)))
      if (code.startsWith("MODEL")) expect(turn.error?.message).toContain("are billed")
      await expectPromises(world, client.userId)
    },
  )
})

describe("A call that is cut off", () => {
  test("A call that the turn's time limit cuts is billed for its output, and its text is the result", async () => {
    script = { words: wordsOf(95), pauseMs: 1000, counts: true }
    const client = await world.createAccount()
    const turnId = await begin(client, { space: await client.space(), timeout_seconds: 90 })
    const turn = await runOut(client, turnId)
    expect(turn).toMatchObject({ state: "failed", error: { code: "TIMEOUT_REACHED" } })
    const [step] = await stepsOf(turnId)
    expect(step?.finish).toBe("aborted")
    expect(turn.result).toBe(step?.text)
    expect(turn.result?.split(" ").length).toBeGreaterThan(85)
    const estimate = Math.ceil((step?.text.length ?? 0) / 4)
    expect(turn.usage).toMatchObject({ model_calls: 1, tokens_output: estimate })
    expect(micros(turn.billed_cost_usd)).toBe(priceOf(turn.usage.tokens_input, estimate))
    await expectPromises(world, client.userId)
  })

  test("A cancel cuts a call within one renewal of the lease", async () => {
    script = { words: wordsOf(500), pauseMs: 1000 }
    const client = await world.createAccount()
    const turnId = await begin(client, { space: await client.space(), timeout_seconds: 3600 })
    const running = world.drain()
    await passTime(world, Promise.race([running, world.clock.sleep(40_000)]), 1000)
    const began = world.clock.ms()
    await passTime(world, client.call("POST", `/v1/turns/${turnId}/cancel`), 250)
    await passTime(world, running, 1000)
    expect(world.clock.ms() - began).toBeLessThan(TURN_POLICY.renewLeaseMs + 5000)
    const turn = await client.getTurn(turnId)
    expect(turn.state).toBe("cancelled")
    expect(turn.result).toMatch(/^word0 word1 /)
    expect(turn.billed_cost_usd).toBeGreaterThan(0)
    await expectPromises(world, client.userId)
  })

  test.each([
    ["a break", { breaksAfter: 10 }],
    ["silence", { silentAfter: 10 }],
  ])(
    "A call that is cut by %s of its provider becomes a step, and the agent continues from there",
    async (_what, how) => {
      const first = provider.sent.length
      script = (n) => (n === first ? { words: wordsOf(20), pauseMs: 100, ...how } : { words: ["and the end."] })
      const client = await world.createAccount()
      const turnId = await begin(client, { space: await client.space() })
      const turn = await runOut(client, turnId)
      const begun = wordsOf(10).join("")
      expect(turn).toMatchObject({ state: "done", result: `${begun}and the end.`, usage: { model_calls: 2 } })
      expect((await stepsOf(turnId)).map(({ finish }) => finish)).toEqual(["aborted", "stop"])
      const asked = provider.asks.at(-1)?.messages ?? []
      expect(asked.map(({ role }) => role).slice(-3)).toEqual(["user", "assistant", "user"])
      expect(JSON.stringify(asked)).toContain("Your answer broke off here.")
      await expectPromises(world, client.userId)
    },
  )

  test("A call that is cut before any output costs the customer nothing and is recorded as our loss", async () => {
    script = { thinking: wordsOf(10), silentAfter: 5 }
    const client = await world.createAccount()
    const turn = await runOut(client, await begin(client, { space: await client.space(), timeout_seconds: 3600 }))
    expect(turn).toMatchObject({ state: "failed", error: { code: "MODEL_UNAVAILABLE" }, billed_cost_usd: 0 })
    expect(turn.error?.message).toContain("Nothing was billed.")
    const worker = mortalWorker(world, provider, { name: "" })
    const report = await reportLosses(worker.ctx, 1)
    expect(report).toContainEqual(
      expect.objectContaining({ day: "2026-11-20", cause: "unfinished", calls: TURN_POLICY.maxModelFailures }),
    )
    expect(report.find(({ cause }) => cause === "unfinished")?.usd).toBeGreaterThan(0)
  })
})

describe("A long answer", () => {
  const SIX_MINUTES = { words: wordsOf(120), pauseMs: 3000 }

  test("An answer of six minutes succeeds, with few statements to renew its lease", async () => {
    script = SIX_MINUTES
    const before = provider.sent.length
    const client = await world.createAccount()
    const turnId = await begin(client, { space: await client.space(), timeout_seconds: 3600 })
    await world.plan([])
    const turn = await runOut(client, turnId, 3000)
    const renewals = (await world.calls()).filter(({ label }) => label.includes("renew_lease")).length
    await world.clearFaults()
    expect(turn).toMatchObject({ state: "done", result: wordsOf(120).join(""), usage: { model_calls: 1 } })
    expect(renewals).toBeGreaterThan(8)
    expect(renewals).toBeLessThanOrEqual(15)
    expect(provider.sent).toHaveLength(before + 1)
    const sent = provider.sent.at(-1) as (typeof provider.sent)[number]
    expect(micros(turn.billed_cost_usd)).toBe(priceOf(SCRIPTED_TOKENS, tokensOf(sent)))
    await expectPromises(world, client.userId)
  })

  test("An answer whose worker is killed midway is requested again and billed once", async () => {
    script = SIX_MINUTES
    const client = await world.createAccount()
    const turnId = await begin(client, { space: await client.space(), timeout_seconds: 3600 })
    await world.qstash.reset()
    const worker = mortalWorker(world, provider, { name: "mortal" })
    void advanceTurn(worker.ctx, turnId)
    await passTime(world, world.clock.sleep(200_000), 3000)
    worker.kill()
    const killedAt = world.clock.ms()
    let resumedAt = 0
    script = () => {
      resumedAt ||= world.clock.ms()
      return SIX_MINUTES
    }
    const turn = await runOut(client, turnId, 3000)
    expect(resumedAt - killedAt, "the promise: within the lease and one sweep").toBeLessThanOrEqual(
      TURN_POLICY.leaseMs + 2 * 61_000,
    )
    expect(turn).toMatchObject({ state: "done", result: wordsOf(120).join(""), usage: { model_calls: 1 } })
    const sent = provider.sent.at(-1) as (typeof provider.sent)[number]
    expect(micros(turn.billed_cost_usd)).toBe(priceOf(SCRIPTED_TOKENS, tokensOf(sent)))
    const lost = await world.sql("select cause, credit_micros from losses where turn_id = $1", [turnId])
    expect(lost).toEqual([{ cause: "worker_lost", credit_micros: null }])
    await expectPromises(world, client.userId)
  })

  test("An answer that outlives the time of its worker continues with the next worker", async () => {
    script = { words: wordsOf(100), pauseMs: 10_000 }
    const client = await world.createAccount()
    const turnId = await begin(client, { space: await client.space(), timeout_seconds: 3600 })
    const running = world.drain()
    await passTime(world, Promise.race([running, world.clock.sleep(TURN_POLICY.workerMs - 5000)]), 5000)
    script = { words: ["and the end."] }
    await passTime(world, running, 1000)
    const turn = await runOut(client, turnId)
    expect(turn.state).toBe("done")
    expect(turn.result).toMatch(/^word0 .*word8\d and the end\.$/)
    expect((await stepsOf(turnId)).map(({ finish }) => finish)).toEqual(["aborted", "stop"])
    await expectPromises(world, client.userId)
  })
})

describe("A commit that the database does not answer", () => {
  const WAYS = [
    { action: "fail", when: "before" },
    { action: "cut", when: "after" },
  ] as const
  const MATCHES = ["commit_answer", "commit_tool_results", "settle_turn"]
  const cases = MATCHES.flatMap((match) => WAYS.flatMap((way) => [1, 3].map((times) => ({ match, ...way, times }))))

  test.each(cases)("The commit $match, $action $when, $times times, does not repeat the model call", async (fault) => {
    const first = provider.sent.length
    const call = { name: "create_task", arguments: JSON.stringify({ title: "One" }) }
    script = (n) => (n === first ? { calls: [call] } : { words: ["Done."] })
    const client = await world.createAccount()
    const space = await client.space({ manifest: { builtin_tools: ["create_task"] } })
    const turnId = await begin(client, { space })
    await world.plan([{ service: "pg", call: 1, ...fault }])
    const began = world.clock.ms()
    await passTime(world, world.drain(), 250)
    await world.clearFaults()
    expect(world.clock.ms() - began).toBeLessThan(10_000)
    const turn = await client.getTurn(turnId)
    expect(turn).toMatchObject({ state: "done", result: "Done.", usage: { model_calls: 2, tool_calls: 1 } })
    expect(provider.sent).toHaveLength(first + 2)
    const tokens = provider.sent.slice(first).map((sent) => priceOf(SCRIPTED_TOKENS, tokensOf(sent)))
    expect(micros(turn.billed_cost_usd)).toBe((tokens[0] ?? 0) + (tokens[1] ?? 0))
    await expectPromises(world, client.userId)
  })
})

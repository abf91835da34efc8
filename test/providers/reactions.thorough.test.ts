import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest"
import { expectPromises } from "../harness/promises.ts"
import { accountState, addAccount, resetAccounts, unified } from "../harness/provider-accounts.ts"
import { createRoutedWorld, type RoutedWorld } from "../harness/routed-world.ts"
import { type ProviderScript, SCRIPTED_TOKENS } from "../harness/scripted-provider.ts"
import type { TestClient } from "../harness/world.ts"

let world: RoutedWorld
let client: TestClient
let space: string
beforeAll(async () => {
  world = await createRoutedWorld()
  client = await world.createAccount({ usd: 100 })
  space = await client.space({ manifest: { builtin_tools: [] } })
})
afterAll(async () => {
  vi.restoreAllMocks()
  await world.close()
})
beforeEach(() => resetAccounts(world, ["alpha", "beta"]))

const now = () => world.clock.ms()
const iso = (ms: number) => new Date(ms).toISOString()
const asIso = (text: string | null) => (text === null ? null : new Date(text).toISOString())
const boundOf = async (conversation: string) => {
  const [row] = await world.sql<{ provider_id: string }>(
    "select provider_id from conversations where conversation_id = $1",
    [conversation],
  )
  return row?.provider_id
}

/**
 * Runs one turn whose calls to alpha fail as `alpha` says, while beta answers. Returns the called
 * accounts and alpha's state afterwards.
 */
async function failAtAlpha(alpha: (nth: number) => ProviderScript, stepMs = 0) {
  const called = world.script((account, nth) => (account === "alpha" ? alpha(nth) : { words: ["Fine."] }))
  const turn = await world.runTurn(client, { space, timeout_seconds: 600 }, stepMs)
  await world.settled()
  return {
    turn,
    calls: called.map(({ account }) => account),
    failures: await world.failuresOf(turn.turn_id),
    lines: world.linesOf("provider.failed", turn.turn_id),
    alpha: await accountState(world, "alpha"),
  }
}

const SERVED = { state: "done", result: "Fine.", usage: { model_calls: 1 } }
const WELL = { health: "healthy", cool_until: null, cool_reason: null }

describe("Accounts that cool while another serves at once", () => {
  test("A 429 with rejected windows cools until the latest reset of those windows", async () => {
    const headers = {
      ...unified("5h", 100, now() + 600_000),
      ...unified("7d", 100, now() + 900_000),
      ...unified("30d", 40, now() + 9_000_000),
      "retry-after": "5",
    }
    const { turn, calls, failures, alpha } = await failAtAlpha(() => ({ status: 429, headers }))
    expect(turn).toMatchObject(SERVED)
    expect(calls).toEqual(["alpha", "beta"])
    expect(failures).toEqual(["alpha window_full"])
    expect(alpha).toMatchObject({ health: "healthy", cool_reason: "window_full" })
    expect(asIso(alpha.cool_until)).toBe(iso(now() + 900_000))
    expect(alpha.windows, "the reported values are kept").toMatchObject({ "unified:18000": { used_pct: 100 } })
    expect(await boundOf(turn.conversation), "the conversation has moved").toBe("beta")
  })

  test("A 429 without headers cools if the last answer reported a full window", async () => {
    world.script(() => ({ words: ["Fine."], headers: unified("5h", 100, now() + 600_000) }))
    await world.runTurn(client, { space })
    const { calls, alpha } = await failAtAlpha(() => ({ status: 429 }))
    expect(calls).toEqual(["alpha", "beta"])
    expect(asIso(alpha.cool_until)).toBe(iso(now() + 600_000))
  })

  test.each([
    ["seconds", { "retry-after": "1000000" }, 1_000_000_000],
    ["milliseconds", { "retry-after-ms": "1500" }, 1500],
    ["more than the largest date", { "retry-after": "1e300" }, 10 * 365 * 86_400_000],
  ])("A 429 with Retry-After in %s cools for that time", async (_what, headers, ms) => {
    const { turn, calls, failures, alpha } = await failAtAlpha(() => ({ status: 429, headers }))
    expect(turn).toMatchObject(SERVED)
    expect(calls).toEqual(["alpha", "beta"])
    expect(failures).toEqual(["alpha retry_after"])
    expect(asIso(alpha.cool_until)).toBe(iso(now() + ms))
  })
})

describe("Failures after which another account serves without cooling the first", () => {
  test("A 429 with Retry-After does not cool if a snapshot shows room", async () => {
    const headers = { "retry-after": "1000", ...unified("5h", 60, now() + 600_000) }
    const { turn, calls, failures, alpha } = await failAtAlpha(() => ({ status: 429, headers }))
    expect(turn).toMatchObject(SERVED)
    expect(calls).toEqual(["alpha", "beta"])
    expect(failures).toEqual(["alpha rate_limited"])
    expect(alpha).toMatchObject({ ...WELL, windows: { "unified:18000": { used_pct: 60 } } })
  })

  test("A 429 without headers does not cool if the last answer reported a window as used up but allowed", async () => {
    const told = (status: string) => ({
      ...unified("7d", 102, now() + 600_000),
      "anthropic-ratelimit-unified-7d-status": status,
    })
    world.script(() => ({ words: ["Fine."], headers: told("rejected") }))
    await world.runTurn(client, { space })
    world.script(() => ({ words: ["Fine."], headers: told("allowed") }))
    await world.runTurn(client, { space })
    const { turn, failures, alpha } = await failAtAlpha(() => ({ status: 429 }))
    expect(turn).toMatchObject(SERVED)
    expect(failures).toEqual(["alpha rate_limited"])
    expect(alpha).toMatchObject({ ...WELL, windows: { "unified:604800": { used_pct: 99.9 } } })
  })

  test.each([
    ["429 with neither", { status: 429 }, "rate_limited"],
    ["429 with Retry-After: 0", { status: 429, headers: { "retry-after": "0" } }, "rate_limited"],
    ["403 that speaks of a model", { status: 403, message: "No access to this model." }, "forbidden"],
    ["404", { status: 404 }, "no_model"],
  ])("After %s another account serves at once", async (_what, answer, code) => {
    const { turn, calls, failures, alpha, lines } = await failAtAlpha(() => answer)
    expect(turn).toMatchObject(SERVED)
    expect(calls).toEqual(["alpha", "beta"])
    expect(failures).toEqual([`alpha ${code}`])
    expect(lines).toMatchObject([{ provider_id: "alpha", code, status: answer.status, engine: "openai-compatible" }])
    expect(alpha).toMatchObject({ ...WELL, windows: {} })
  })

  test.each([
    ["529", { status: 529 }],
    ["500", { status: 500 }],
    ["503", { status: 503 }],
    ["408", { status: 408 }],
    ["a connection that breaks", { thinking: ["Well, "], words: ["never"], breaksAfter: 0 }],
    ["thinking, and then a break", { thinking: ["Well, ", "so, "], words: ["never"], breaksAfter: 2 }],
  ] satisfies [string, ProviderScript][])(
    "After %s the same account is tried once more, then another",
    async (_what, answer) => {
      const { turn, calls, failures, alpha } = await failAtAlpha(() => answer, 1000)
      expect(turn).toMatchObject(SERVED)
      expect(calls).toEqual(["alpha", "alpha", "beta"])
      expect(failures).toEqual(["alpha unavailable", "alpha unavailable"])
      expect(alpha).toMatchObject(WELL)
      await expectPromises(world, client.userId)
    },
  )

  test.each([
    ["silence", { words: ["never"], silentAfter: 0 }],
    ["silence after a thought", { thinking: ["Well, "], words: ["never"], silentAfter: 1 }],
  ] satisfies [string, ProviderScript][])(
    "After %s another account serves at once and keeps the conversation",
    async (_what, answer) => {
      const began = now()
      const { turn, calls, failures, alpha } = await failAtAlpha(() => answer, 1000)
      expect(turn).toMatchObject(SERVED)
      expect(calls).toEqual(["alpha", "beta"])
      expect(failures).toEqual(["alpha silent"])
      expect(alpha).toMatchObject(WELL)
      expect(now() - began, "one silent call").toBeLessThan(75_000)
      expect(await boundOf(turn.conversation)).toBe("beta")
      await expectPromises(world, client.userId)
    },
  )

  test("A 529 followed by an answer counts as served", async () => {
    const { turn, calls } = await failAtAlpha((nth) => (nth === 0 ? { status: 529 } : { words: ["Fine."] }))
    expect(turn).toMatchObject(SERVED)
    expect(calls).toEqual(["alpha", "alpha"])
    expect(await boundOf(turn.conversation)).toBe("alpha")
  })
})

describe("A refused login", () => {
  test("A 401 to an API key means that the account needs a new key", async () => {
    const { turn, calls, failures, alpha } = await failAtAlpha(() => ({ status: 401 }))
    expect(turn).toMatchObject(SERVED)
    expect(calls).toEqual(["alpha", "beta"])
    expect(failures).toEqual(["alpha unauthorized"])
    expect(alpha).toMatchObject({ health: "needs_login", cool_until: null })
    const again = await failAtAlpha(() => ({ words: ["never"] }))
    expect(again.calls, "the account is not called any more").toEqual(["beta"])
  })

  test("A 401 to a token leads to a refresh or to another account", async () => {
    await addAccount(world, "abel", { kind: "oauth_code" })
    const called = world.script((account) => (account === "abel" ? { status: 401 } : { words: ["Fine."] }))
    const turn = await world.runTurn(client, { space })
    expect(turn).toMatchObject(SERVED)
    expect(called.map(({ account }) => account)).toEqual(["abel", "alpha"])
    expect(await world.failuresOf(turn.turn_id)).toEqual(["abel unauthorized"])
  })

  test("A 401 to a key that has since been replaced does not affect the new key", async () => {
    world.serve("model.test", async (request) => {
      const answer = await world.provider.serve(request)
      await world.sql("update provider_credentials set version = 2 where provider_id = 'alpha'")
      return answer
    })
    const { calls, alpha } = await failAtAlpha(() => ({ status: 401 }))
    world.serve("model.test", (request) => world.provider.serve(request))
    expect(calls).toEqual(["alpha", "beta"])
    expect(alpha.health).toBe("healthy")
  })

  test("A contained login is not called", async () => {
    await world.sql("update provider_credentials set refreshing_until = $1 where provider_id = 'alpha'", [
      iso(now() - 1),
    ])
    const { turn, calls } = await failAtAlpha(() => ({ words: ["never"] }))
    expect(turn).toMatchObject(SERVED)
    expect(calls).toEqual(["beta"])
  })
})

describe("A refused request", () => {
  test.each([400, 413, 422])("A request that two accounts answer with %s is refused", async (status) => {
    const called = world.script(() => ({ status }))
    const turn = await world.runTurn(client, { space })
    expect(turn).toMatchObject({ state: "failed", error: { code: "MODEL_REJECTED" }, billed_cost_usd: 0 })
    expect(called.map(({ account }) => account)).toEqual(["alpha", "beta"])
    expect(await accountState(world, "alpha")).toMatchObject(WELL)
  })

  const statuses = (alpha: number, beta: number) =>
    world.script((account) => ({ status: account === "alpha" ? alpha : beta }))

  test("When each account answers 404, none has the model, and the next turn tries one of them again", async () => {
    const called = statuses(404, 404)
    const turn = await world.runTurn(client, { space })
    expect(turn).toMatchObject({ state: "failed", error: { code: "MODEL_UNAVAILABLE" }, billed_cost_usd: 0 })
    expect(called.map(({ account }) => account)).toEqual(["alpha", "beta"])
    expect((await world.runTurn(client, { space })).error?.code).toBe("MODEL_UNAVAILABLE")
    expect(called).toHaveLength(3)
    world.script(() => ({ words: ["Fine."] }))
    expect(await world.runTurn(client, { space }), "the model is back").toMatchObject(SERVED)
  })

  test.each([
    [404, 429],
    [503, 404],
  ])("A %i by one account and %i by the other decide nothing, and the turn is served later", async (alpha, beta) => {
    statuses(alpha, beta)
    const turnId = await world.begin(client, { space })
    await world.drain()
    const [row] = await world.sql("select model_failures, state from turns where turn_id = $1", [turnId])
    expect(row).toEqual({ model_failures: 1, state: "running" })
    world.script(() => ({ words: ["Fine."] }))
    await world.advance(5000)
    await world.drain()
    expect(await client.getTurn(turnId)).toMatchObject(SERVED)
  })
})

describe("Tries within a step", () => {
  test("At most three accounts are tried, and then the turn backs off as after any model failure", async () => {
    for (const id of ["gamma", "omega"]) await addAccount(world, id)
    const called = world.script((account) => (account === "omega" ? { words: ["Fine."] } : { status: 529 }))
    const turnId = await world.begin(client, { space })
    await world.drain()
    expect(called.map(({ account }) => account)).toEqual(["alpha", "alpha", "beta", "beta", "gamma", "gamma"])
    const [row] = await world.sql("select model_failures, state from turns where turn_id = $1", [turnId])
    expect(row).toEqual({ model_failures: 1, state: "running" })
    await client.call("POST", `/v1/turns/${turnId}/cancel`)
    await world.advance(60_000)
    await world.drain()
  })

  test("Text that was sent is not repeated by another account: the next call continues from there", async () => {
    const { turn, calls } = await failAtAlpha(
      (nth) => (nth === 0 ? { words: ["Begun ", "and "], breaksAfter: 1, pauseMs: 10 } : { words: ["ended."] }),
      10,
    )
    expect(calls).toEqual(["alpha"])
    expect(turn.state).toBe("running")
    await world.advance(5000)
    await world.drain()
    expect(await client.getTurn(turn.turn_id)).toMatchObject({ state: "done", result: "Begun ended." })
    const usage = await world.sql("select step, subscription_id from usage where turn_id = $1 order by step", [
      turn.turn_id,
    ])
    expect(usage).toEqual([
      { step: 0, subscription_id: "alpha" },
      { step: 1, subscription_id: "alpha" },
    ])
  })

  test("The tokens of failed tries are our loss, and one usage row names the account that served", async () => {
    const { turn } = await failAtAlpha(() => ({ thinking: ["Well, ", "so, "], words: ["never"], breaksAfter: 2 }), 10)
    const losses = await world.sql("select cause from losses where turn_id = $1", [turn.turn_id])
    expect(losses).toEqual([{ cause: "unfinished" }, { cause: "unfinished" }])
    const usage = await world.sql("select subscription_id, tokens_input::int as input from usage where turn_id = $1", [
      turn.turn_id,
    ])
    expect(usage).toEqual([{ subscription_id: "beta", input: SCRIPTED_TOKENS }])
    await expectPromises(world, client.userId)
  })
})

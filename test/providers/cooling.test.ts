import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest"
import { accountState, addAccount, removeAccounts, resetAccounts, unified } from "../harness/provider-accounts.ts"
import { createRoutedWorld, type RoutedWorld } from "../harness/routed-world.ts"
import { passTime } from "../harness/time.ts"
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
const SERVED = { state: "done", result: "Fine.", usage: { model_calls: 1 } }
const WELL = { health: "healthy", cool_until: null, cool_reason: null }

describe("A turn while all accounts cool", () => {
  const coolBoth = (alphaMs: number, betaMs: number) => {
    const began = now()
    return world.script((account) => {
      const until = began + ({ alpha: alphaMs, beta: betaMs }[account] ?? 0)
      return now() < until ? { status: 429, headers: unified("5h", 100, until) } : { words: ["Fine."] }
    })
  }

  test("The turn waits for the first account, counts no failure, and one call tries it", async () => {
    const called = coolBoth(200_000, 40_000)
    const began = now()
    const turnId = await world.begin(client, { space })
    await world.drain()
    const [waiting] = await world.sql<{ model_failures: number; wake_at: string }>(
      "select t.model_failures, o.wake_at from turns t join open_turns o using (turn_id) where turn_id = $1",
      [turnId],
    )
    expect(waiting?.model_failures).toBe(0)
    expect(called.map(({ account }) => account)).toEqual(["alpha", "beta"])
    await world.advance(39_000)
    expect(await world.drain(), "no call before the time").toBe(0)
    await world.advance(2000)
    await world.drain()
    expect(await client.getTurn(turnId)).toMatchObject(SERVED)
    expect(called.slice(2)).toEqual([{ account: "beta", at: began + 41_000 }])
    expect(await accountState(world, "beta"), "the account serves again").toMatchObject({ ...WELL, probe_until: null })
    expect((await accountState(world, "alpha")).cool_until).not.toBeNull()
  })

  test("The turn ends by its own time limit, and not before, if the cooling is longer", async () => {
    coolBoth(10_000_000, 10_000_000)
    const began = now()
    const turnId = await world.begin(client, { space, timeout_seconds: 120 })
    await world.drain()
    const runAt = async (ms: number) => {
      await world.advance(began + ms - now())
      await world.drain()
      return client.getTurn(turnId)
    }
    for (const ms of [61_000, 119_000, 119_999]) expect((await runAt(ms)).state, `${ms}`).toBe("running")
    expect(await runAt(120_000)).toMatchObject({ state: "failed", error: { code: "TIMEOUT_REACHED" } })
  })

  test("A reader of the turn's events learns once that it waits for capacity, and then that the call begins", async () => {
    coolBoth(200_000, 150_000)
    const turnId = await world.begin(client, { space })
    const types = async () => {
      const page = await (await client.call("GET", `/v1/turns/${turnId}/events`)).json()
      return (page as { data: { type: string }[] }).data.map(({ type }) => type)
    }
    await world.drain()
    expect(await types()).toEqual(["turn.queued", "turn.running", "model.waiting"])
    for (let round = 0; round < 2; round++) {
      await world.advance(61_000)
      await world.drain()
    }
    expect(await types(), "the turn looked again without success").toEqual([
      "turn.queued",
      "turn.running",
      "model.waiting",
    ])
    for (let round = 0; round < 2; round++) {
      await world.advance(61_000)
      await world.drain()
    }
    expect(await client.getTurn(turnId)).toMatchObject(SERVED)
    expect(await types()).toEqual([
      "turn.queued",
      "turn.running",
      "model.waiting",
      "step.started",
      "step.ended",
      "turn.done",
    ])
  })

  test("The turn looks again when no account recovers by itself, and finds a new login", async () => {
    world.script(() => ({ status: 401 }))
    const turnId = await world.begin(client, { space })
    await world.drain()
    expect((await client.getTurn(turnId)).state).toBe("running")
    world.script(() => ({ words: ["Fine."] }))
    await world.sql("update provider_accounts set health = 'healthy' where provider_id = 'beta'")
    await world.advance(61_000)
    await world.drain()
    expect(await client.getTurn(turnId)).toMatchObject(SERVED)
  })

  test("The turn looks every minute during long cooling, and finds an account that an admin adds", async () => {
    const called = coolBoth(3_000_000, 3_000_000)
    const turnId = await world.begin(client, { space, timeout_seconds: 600 })
    await world.drain()
    await addAccount(world, "gamma")
    await world.advance(60_000)
    await world.drain()
    expect(await client.getTurn(turnId)).toMatchObject(SERVED)
    expect(called.map(({ account }) => account)).toEqual(["alpha", "beta", "gamma"])
  })

  test("Cooling of one account and overload of another do not fail the turn while the first recovers in time", async () => {
    const until = now() + 100_000
    world.script((account) => {
      if (account === "beta") return { status: 529 }
      return now() < until ? { status: 429, headers: unified("5h", 100, until) } : { words: ["Fine."] }
    })
    const turnId = await world.begin(client, { space })
    // Each overload of the other account is followed by a longer pause.
    for (const pauseMs of [5, 5, 10, 10, 20, 20, 20, 20, 20].map((seconds) => 1000 * seconds)) {
      await world.drain()
      await world.advance(pauseMs)
    }
    expect(await client.getTurn(turnId)).toMatchObject(SERVED)
  })
})

describe("A probe", () => {
  test("One of many calls is the probe, and the others treat the account as cooling", async () => {
    await removeAccounts(world)
    await addAccount(world, "alpha")
    await world.sql("update provider_states set cool_until = $1 where provider_id = 'alpha'", [iso(now() - 1)])
    let open = () => {}
    const held = new Promise<void>((resolve) => {
      open = resolve
    })
    const called = world.script(() => ({ words: ["Fine."] }))
    world.serve("model.test", async (request) => {
      const answer = await world.provider.serve(request)
      await held
      return answer
    })
    const ids = await Promise.all(
      [1, 2, 3, 4, 5].map((n) => world.begin(client, { space, end_user_ref: `probe-${n}` })),
    )
    const running = world.drain()
    const waiting = () => ids.flatMap((id) => world.linesOf("provider.all_cooling", id)).length
    while (waiting() + called.length < 5) await world.sql("select 1")
    expect([waiting(), called.length]).toEqual([4, 1])
    open()
    await running
    world.serve("model.test", (request) => world.provider.serve(request))
    await world.advance(10_000)
    await world.drain()
    for (const id of ids) expect(await client.getTurn(id)).toMatchObject(SERVED)
  })

  test("The turn that calls the account takes the probe, and a turn whose sub-agent might call it takes none", async () => {
    await addAccount(world, "gamma", { engine: "anthropic" })
    await world.sql("update provider_states set cool_until = $1 where provider_id = 'gamma'", [iso(now() - 1)])
    await world.sql(
      `insert into model_catalog (pin, engine, model, label, enabled, price_input, price_cached, price_output)
       values ('anthropic/helper', 'anthropic', 'helper', 'Helper', true, 1, 1, 1) on conflict do nothing`,
    )
    const helper = { name: "helper", description: "Helps.", model: "anthropic/helper", instructions: "Help." }
    const helped = await client.space({ manifest: { builtin_tools: [], subagents: [helper] } })
    world.script(() => ({ words: ["Fine."] }))
    expect(await world.runTurn(client, { space: helped })).toMatchObject(SERVED)
    expect(await accountState(world, "gamma")).toMatchObject({ health: "healthy", probe_until: null })
  })

  test.each([
    ["whose request is refused", { status: 400 }, "MODEL_REJECTED"],
    ["with a model that no account has", { status: 404 }, "MODEL_UNAVAILABLE"],
  ])("A probe %s has no result, and the next call tries the account at once", async (_what, answer, code) => {
    await removeAccounts(world)
    await addAccount(world, "alpha")
    await world.sql("update provider_states set cool_until = $1 where provider_id = 'alpha'", [iso(now() - 1)])
    const called = world.script((_account, nth) => (nth === 0 ? answer : { words: ["Fine."] }))
    expect(await world.runTurn(client, { space })).toMatchObject({ state: "failed", error: { code } })
    expect(await world.runTurn(client, { space })).toMatchObject(SERVED)
    expect(called).toHaveLength(2)
    expect(await accountState(world, "alpha")).toMatchObject({ ...WELL, probe_until: null })
  })

  test("A probe that is cancelled before an answer has no result either", async () => {
    await removeAccounts(world)
    await addAccount(world, "alpha")
    await world.sql("update provider_states set cool_until = $1 where provider_id = 'alpha'", [iso(now() - 1)])
    const called = world.script((_account, nth) =>
      nth === 0 ? { words: ["never"], silentAfter: 0 } : { words: ["Fine."] },
    )
    const turnId = await world.begin(client, { space })
    const draining = world.drain()
    while (called.length === 0) await world.sql("select 1")
    await client.call("POST", `/v1/turns/${turnId}/cancel`)
    await passTime(world, draining, 1000)
    expect((await client.getTurn(turnId)).state).toBe("cancelled")
    expect(await accountState(world, "alpha")).toMatchObject({ probe_until: null })
    expect(await world.runTurn(client, { space })).toMatchObject(SERVED)
  })

  test("A probe that fails cools the account again, even after a temporary error", async () => {
    await world.sql("update provider_states set cool_until = $1 where provider_id = 'alpha'", [iso(now() - 1)])
    const called = world.script((account) => (account === "alpha" ? { status: 529 } : { words: ["Fine."] }))
    expect(await world.runTurn(client, { space })).toMatchObject(SERVED)
    expect(called.map(({ account }) => account)).toEqual(["alpha", "alpha", "beta"])
    const { cool_until } = await accountState(world, "alpha")
    expect(Date.parse(cool_until ?? "")).toBe(now() + 60_000)
  })
})

import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest"
import { RELEASE } from "../../src/platform/procedures.ts"
import { accountState, addAccount, resetAccounts, unified } from "../harness/provider-accounts.ts"
import { createRandom } from "../harness/random.ts"
import { createRoutedWorld, type RoutedWorld } from "../harness/routed-world.ts"
import { PROVIDED_PIN } from "../harness/scripted-provider.ts"
import type { TestClient } from "../harness/world.ts"

let world: RoutedWorld
let client: TestClient
let space: string
/** The worker's random numbers. A test that does not replace them gets the first account by name. */
let random = () => 0
beforeAll(async () => {
  world = await createRoutedWorld(() => random())
  client = await world.createAccount({ usd: 100 })
  space = await client.space({ manifest: { builtin_tools: ["create_task"] } })
})
afterAll(async () => {
  vi.restoreAllMocks()
  await world.close()
})
beforeEach(async () => {
  random = () => 0
  await resetAccounts(world, ["alpha", "beta", "gamma"])
})

const disable = (id: string) =>
  world.sql("update provider_accounts set disabled_at = $2 where provider_id = $1", [id, world.clock.now()])
const FINE = { words: ["Fine."] }
const CALL = { calls: [{ name: "create_task", arguments: JSON.stringify({ title: "One" }) }] }
let people = 0
const somebody = () => ({ space, end_user_ref: `person-${people++}` })

describe("A conversation", () => {
  test("A conversation of 50 turns stays on one account if no fault occurs", async () => {
    const chance = createRandom("fifty turns")
    random = () => chance.int(1000) / 1000
    for (let n = 0; n < 7; n++) await addAccount(world, `more-${n}`)
    const called = world.script((_account, nth) => ({
      ...FINE,
      headers: unified("5h", nth, world.clock.ms() + 9e6),
    }))
    const body = somebody()
    for (let turn = 0; turn < 50; turn++) {
      expect((await world.runTurn(client, body)).state).toBe("done")
      await world.advance(chance.int(59) * 60_000)
    }
    expect(called).toHaveLength(50)
    expect(new Set(called.map(({ account }) => account)).size).toBe(1)
  })

  test("A conversation moves when the prompt cache has expired, and not before", async () => {
    const called = world.script(() => FINE)
    const body = somebody()
    await world.runTurn(client, body)
    random = () => 0.999
    await world.advance(3_599_000)
    await world.runTurn(client, body)
    await world.advance(3_600_000)
    await world.runTurn(client, body)
    await world.runTurn(client, body)
    expect(called.map(({ account }) => account)).toEqual(["alpha", "alpha", "gamma", "gamma"])
  })

  test("A conversation stays with the account of its first step when its first turn is claimed again", async () => {
    let calls = 0
    const called = world.script(() => {
      calls++
      if (calls === 1) return CALL
      // From now on a random draw would choose another account.
      random = () => 0.999
      return calls < 8 ? { status: 529 } : FINE
    })
    const { turn_id } = await world.runTurn(client, somebody())
    await world.advance(90_000)
    await world.drain()
    const [row] = await world.sql("select state, epoch from turns where turn_id = $1", [turn_id])
    expect(row).toEqual({ state: "done", epoch: 2 })
    expect([called.at(0), called.at(-1)].map((call) => call?.account)).toEqual(["alpha", "alpha"])
  })

  test("A conversation returns to its account after a temporary error", async () => {
    const body = somebody()
    world.script(() => FINE)
    await world.runTurn(client, body)
    random = () => 0.999
    const called = world.script((account, nth) => (account === "alpha" && nth < 2 ? { status: 529 } : FINE))
    await world.runTurn(client, body)
    await world.runTurn(client, body)
    expect(called.map(({ account }) => account)).toEqual(["alpha", "alpha", "gamma", "alpha"])
  })

  test("A conversation returns to its account within a turn, too", async () => {
    const body = somebody()
    world.script(() => FINE)
    await world.runTurn(client, body)
    const called = world.script((account, nth) => {
      if (account !== "alpha") return CALL
      return nth < 2 ? { status: 529 } : FINE
    })
    expect((await world.runTurn(client, body)).state).toBe("done")
    expect(called.map(({ account }) => account)).toEqual(["alpha", "alpha", "beta", "alpha"])
  })

  test("A conversation leaves an account that does not answer, within the turn and for later turns", async () => {
    const body = somebody()
    world.script(() => FINE)
    await world.runTurn(client, body)
    const called = world.script((account, nth) => {
      if (account === "alpha") return { words: ["never"], silentAfter: 0 }
      return nth < 2 ? CALL : FINE
    })
    expect((await world.runTurn(client, body, 1000)).state).toBe("done")
    await world.runTurn(client, body)
    expect(called.map(({ account }) => account)).toEqual(["alpha", "beta", "beta", "beta", "beta"])
  })

  test("A conversation stays with the serving account when its earlier account has cooled", async () => {
    const body = somebody()
    const until = world.clock.ms() + 60_000
    world.script(() => FINE)
    await world.runTurn(client, body)
    const called = world.script((account) =>
      account === "alpha" ? { status: 429, headers: unified("5h", 100, until) } : FINE,
    )
    await world.runTurn(client, body)
    world.script(() => FINE)
    await world.advance(120_000)
    await world.runTurn(client, body)
    expect(called.map(({ account }) => account)).toEqual(["beta"])
  })
})

describe("An account that is disabled", () => {
  test("A disabled account is not called by the next turn", async () => {
    const body = somebody()
    const called = world.script(() => FINE)
    await world.runTurn(client, body)
    await disable("alpha")
    await world.runTurn(client, body)
    expect(called.map(({ account }) => account)).toEqual(["alpha", "beta"])
  })

  test.each([
    ["before its calls are made", "an answer"],
    ["while its calls are made", "results"],
  ])("A disabled account is not called by the next step of a turn, %s", async (_when, commit) => {
    const called = world.script((_account, nth) => (nth === 0 ? CALL : FINE))
    world.serve("model.test", async (request) => {
      if (called.length === 0 && commit === "an answer") await disable("alpha")
      return world.provider.serve(request)
    })
    if (commit === "results") {
      await world.sql(
        `create or replace function disable_alpha() returns trigger language plpgsql as $$ begin
           update provider_accounts set disabled_at = now() where provider_id = 'alpha'; return new; end $$`,
      )
      await world.sql(
        "create trigger disable_alpha after insert on tasks for each row execute function disable_alpha()",
      )
    }
    // Beta's first answer would be a tool call, too.
    world.script((account, nth) => (account === "alpha" && nth === 0 ? CALL : FINE))
    const turn = await world.runTurn(client, somebody())
    await world.sql("drop trigger if exists disable_alpha on tasks")
    world.serve("model.test", (request) => world.provider.serve(request))
    expect(turn).toMatchObject({ state: "done", usage: { model_calls: 2, tool_calls: 1 } })
    expect(called.map(({ account }) => account)).toEqual(["alpha", "beta"])
  })

  test("A disabled account without alternatives leaves calls to the environment's key", async () => {
    for (const id of ["alpha", "beta", "gamma"]) await disable(id)
    world.rebind({ OPENAI_BASE_URL: "https://model.test/v1", OPENAI_API_KEY: "the-environments" })
    const called = world.script(() => FINE)
    const turn = await world.runTurn(client, somebody())
    expect(turn.state).toBe("done")
    expect(called.map(({ account }) => account)).toEqual(["the-environments"])
  })
})

describe("A new conversation", () => {
  const spread = async (turns: number) => {
    const called = world.script(() => FINE)
    for (let n = 0; n < turns; n++) {
      random = () => (n + 0.5) / turns
      await world.runTurn(client, somebody())
    }
    const counts: Record<string, number> = {}
    for (const { account } of called) counts[account] = (counts[account] ?? 0) + 1
    return counts
  }
  const windowsOf = (id: string, windows: Record<string, { used_pct: number; inMs: number }>) => {
    const entries = Object.entries(windows).map(([key, { used_pct, inMs }]) => {
      return [key, { used_pct, reset_at: new Date(world.clock.ms() + inMs).toISOString() }]
    })
    return world.sql("update provider_states set windows = $2 where provider_id = $1", [
      id,
      JSON.stringify(Object.fromEntries(entries)),
    ])
  }

  test("A new conversation uses the account with most room in its tightest window; an ended window is unknown", async () => {
    const HOUR = 3600_000
    await windowsOf("alpha", {
      "unified:18000": { used_pct: 10, inMs: HOUR },
      "unified:604800": { used_pct: 75, inMs: HOUR },
    })
    await windowsOf("beta", {
      "unified:18000": { used_pct: 100, inMs: -1 },
      "tokens:60": { used_pct: 50, inMs: 60_000 },
    })
    await windowsOf("gamma", { "unified:18000": { used_pct: 100, inMs: HOUR } })
    // 25 : 50 : 1 of 76
    expect(await spread(76)).toEqual({ alpha: 25, beta: 50, gamma: 1 })
  })

  test("A new conversation considers calls in progress, too", async () => {
    await world.sql(
      `insert into open_turns (turn_id, conversation_id, position, user_id, test, state, wake_at, created_at, lane, provider_id)
       select 'flying-' || n, 'flying-' || n, 1, 0, false, 'running', 'infinity', now(), n, case when n <= 90 then 'alpha' else 'beta' end
       from generate_series(1, 140) n`,
    )
    // 10 : 50 : 100 of 160
    const counts = await spread(32)
    await world.sql("delete from open_turns where turn_id like 'flying-%'")
    expect(counts).toEqual({ alpha: 2, beta: 10, gamma: 20 })
  })

  test("A new conversation chooses by weight among many accounts", async () => {
    const room: Record<string, number> = { alpha: 100, beta: 100, gamma: 100 }
    for (let n = 0; n < 20; n++) {
      const id = `many-${n}`
      await addAccount(world, id)
      await windowsOf(id, { "unified:18000": { used_pct: 5 * n + 5, inMs: 3600_000 } })
      room[id] = Math.max(1, 95 - 5 * n)
    }
    await disable("many-0")
    await world.sql("update provider_states set cool_until = $1 where provider_id = 'many-1'", [
      new Date(world.clock.ms() + 60_000),
    ])
    await world.sql("update provider_states set lacks = $1 where provider_id = 'many-2'", [
      JSON.stringify({ provided: new Date(world.clock.ms() + 60_000) }),
    ])
    await world.sql("delete from provider_credentials where provider_id = 'many-3'")
    for (const id of ["many-0", "many-1", "many-2", "many-3"]) delete room[id]
    await expectDraws(room)
  })

  test("A new conversation finds the usable account while most of many accounts cool", async () => {
    for (let n = 0; n < 20; n++) await addAccount(world, `many-${n}`)
    await world.sql("update provider_states set cool_until = $1 where provider_id like 'many-%'", [
      new Date(world.clock.ms() + 60_000),
    ])
    await expectDraws({ alpha: 100, beta: 100, gamma: 100 })
  })

  /** Expects draws in proportion to weights, within four standard deviations, from evenly spaced numbers. */
  async function expectDraws(weights: Record<string, number>) {
    const DRAWS = 6_000
    const drawn = await world.sql<{ id: string; times: number }>(
      `select ${RELEASE}.pick_account('openai-compatible', null, 'provided', null, '{}', '{}', null, number, null, $2) ->> 'provider_id' as id,
         count(*)::integer as times from generate_series(1, $1::integer) n,
         lateral (select n * sqrt(2::float8) - floor(n * sqrt(2::float8)) as number) g group by 1`,
      [DRAWS, world.clock.now()],
    )
    const whole = Object.values(weights).reduce((sum, weight) => sum + weight, 0)
    expect(drawn.map(({ id }) => id).sort()).toEqual(Object.keys(weights).sort())
    for (const { id, times } of drawn) {
      const fair = (DRAWS * (weights[id] ?? 0)) / whole
      expect(Math.abs(times - fair), `${id}: ${times} of ${Math.round(fair)}`).toBeLessThan(4 * Math.sqrt(fair))
    }
  }
})

test("A sub-agent's calls use accounts but bind no conversation, and neither does another engine's account", async () => {
  const called = world.script(() => FINE)
  const manifest = {
    builtin_tools: [],
    subagents: [{ name: "researcher", description: "Finds out.", model: PROVIDED_PIN }],
  }
  const turn = await world.runTurn(client, {
    space: await client.space({ manifest }),
    model: "rehearsal/standard",
    text: "[delegate researcher Sum it up.]",
  })
  expect(turn.state).toBe("done")
  expect(called.map(({ account }) => account)).toEqual(["alpha"])
  const usage = await world.sql(
    "select provider, subscription_id, subagent from usage where turn_id = $1 order by step",
    [turn.turn_id],
  )
  expect(usage).toContainEqual({ provider: "openai-compatible", subscription_id: "alpha", subagent: "researcher" })
  for (const row of usage.filter(({ provider }) => provider === "rehearsal")) expect(row.subscription_id).toBeNull()
  const [bound] = await world.sql("select provider_id, served_at from conversations where conversation_id = $1", [
    turn.conversation,
  ])
  expect(bound).toEqual({ provider_id: null, served_at: null })
  expect((await accountState(world, "alpha")).health).toBe("healthy")
})

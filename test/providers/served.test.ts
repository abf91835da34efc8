import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest"
import { addModel } from "../harness/models.ts"
import {
  accountState,
  addAccount,
  providerKey,
  removeAccounts,
  resetAccounts,
  unified,
} from "../harness/provider-accounts.ts"
import { createRoutedWorld, type RoutedWorld } from "../harness/routed-world.ts"
import { PROVIDED_PIN } from "../harness/scripted-provider.ts"
import { providerStream } from "../harness/streams.ts"
import type { TestClient } from "../harness/world.ts"

let world: RoutedWorld
let client: TestClient
let space: string
beforeAll(async () => {
  world = await createRoutedWorld()
  client = await world.createAccount({ usd: 100 })
  space = await client.space({ manifest: { builtin_tools: [] } })
  for (const pin of ["anthropic/claude", "openai/gpt"]) await addModel(world, pin)
})
afterAll(async () => {
  vi.restoreAllMocks()
  await world.close()
})
beforeEach(() => resetAccounts(world, []))

const FINE = { words: ["Fine."] }
const statements = async () => (await world.calls()).filter(({ service }) => service === "pg")

describe("The serving account", () => {
  const servedOf = async (table: "usage" | "chat_calls", turnId: string) =>
    world.sql(`select subscription_id from ${table} where turn_id = $1`, [turnId])

  async function chat(): Promise<string> {
    const browser = await world.signIn(client.userId)
    const [, made] = await browser.json("POST", "/api/account/spaces", { title: "Mine" })
    const body = { space: made.space_id, text: "hello", model: PROVIDED_PIN }
    const [status, { turn_id }] = await browser.json("POST", "/api/account/chat/turns", body)
    expect(status).toBe(202)
    await world.drain()
    return turn_id
  }

  test("The usage of keyed turns and chats names the account, and the plan if there was no account", async () => {
    await addAccount(world, "alpha")
    world.script(() => FINE)
    const keyed = await world.runTurn(client, { space })
    expect(await servedOf("usage", keyed.turn_id)).toEqual([{ subscription_id: "alpha" }])
    const chatted = await chat()
    expect(await servedOf("chat_calls", chatted)).toEqual([{ subscription_id: "alpha" }])
    expect(await servedOf("usage", chatted)).toEqual([])

    await removeAccounts(world)
    world.rebind({ OPENAI_BASE_URL: "https://model.test/v1" })
    const [plan] = await world.sql<{ sub_id: number }>(
      `insert into subscriptions (user_id, plan, starts_at, created_at, updated_at) values ($1, 'small', $2, $2, $2) returning sub_id`,
      [client.userId, new Date(world.clock.ms() - 1000)],
    )
    const plain = await world.runTurn(client, { space, end_user_ref: "without" })
    expect(await servedOf("usage", plain.turn_id)).toEqual([{ subscription_id: String(plan?.sub_id) }])
    expect(await servedOf("chat_calls", await chat())).toEqual([{ subscription_id: String(plan?.sub_id) }])
  })

  test("A test turn calls no account", async () => {
    await addAccount(world, "alpha")
    const called = world.script(() => FINE)
    const test = await world.createAccount({ test: true })
    expect((await world.runTurn(test, { space: await test.space() })).state).toBe("done")
    expect(called).toEqual([])
  })
})

describe("A plain turn", () => {
  test("A plain turn takes three statements with an account, whatever its headers say", async () => {
    await addAccount(world, "alpha")
    let used = 10
    world.script(() => {
      used += 3
      return {
        ...FINE,
        headers: {
          ...unified("5h", used, world.clock.ms() + 1e6),
          ...unified("7d", used, world.clock.ms() + 1e7),
        },
      }
    })
    for (let turn = 0; turn < 3; turn++) {
      await world.plan([])
      expect((await world.runTurn(client, { space })).state).toBe("done")
      const seen = await statements()
      // The fourth statement is the test's own query.
      expect(seen.map(({ label }) => label.match(/\.(\w+)\(/)?.[1])).toEqual([
        "accept_turn",
        "claim_turns",
        "settle_turns_and_look",
        "get_turn",
      ])
    }
    await world.clearFaults()
    const { windows } = await accountState(world, "alpha")
    expect(windows).toMatchObject({ "unified:18000": { used_pct: 19 }, "unified:604800": { used_pct: 19 } })
    const snapshots = await world.sql(
      "select resource, window_seconds, used_pct from quota_snapshots where provider_id = 'alpha'",
    )
    expect(snapshots).toHaveLength(6)
  })

  test("A plain turn writes a snapshot when a window has moved by a point, or after five minutes", async () => {
    await addAccount(world, "beta")
    const reset = world.clock.ms() + 1e7
    const say = async (used: number, minutes: number) => {
      await world.advance(minutes * 60_000)
      world.script(() => ({ ...FINE, headers: unified("5h", used, reset) }))
      await world.runTurn(client, { space })
      const rows = await world.sql<{ used_pct: number }>(
        "select used_pct from quota_snapshots where provider_id = 'beta' order by taken_at",
      )
      return rows.map(({ used_pct }) => used_pct)
    }
    expect(await say(10, 0)).toEqual([10])
    expect(await say(10.4, 1)).toEqual([10])
    expect(await say(10.8, 1)).toEqual([10])
    expect(await say(11.2, 1), "one point since the last snapshot").toEqual([10, 11.2])
    expect(await say(11.3, 4)).toEqual([10, 11.2])
    expect(await say(11.4, 1)).toEqual([10, 11.2, 11.4])
    expect((await accountState(world, "beta")).windows).toMatchObject({ "unified:18000": { used_pct: 11.4 } })
  })

  test("A server that invents new windows does not fill the account's row", async () => {
    await addAccount(world, "gamma")
    for (let n = 1; n <= 6; n++) {
      const headers = Array.from({ length: 5 }, (_, at) => unified(`${n * 10 + at}h`, 10, world.clock.ms() + 1e7))
      world.script(() => ({ ...FINE, headers: Object.assign({}, ...headers) }))
      await world.runTurn(client, { space })
      await world.advance(1000)
    }
    const { windows } = await accountState(world, "gamma")
    expect(Object.keys(windows)).toHaveLength(16)
    expect(Object.keys(windows)).toContain(`unified:${64 * 3600}`)
  })
})

describe("The credentials of a call", () => {
  const message = { type: "message", id: "m", role: "assistant", model: "m", content: [], stop_reason: null }
  const ANTHROPIC = [
    { type: "message_start", message: { ...message, usage: { input_tokens: 20, output_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Fine." } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 3 } },
    { type: "message_stop" },
  ]
  const response = {
    id: "r",
    created_at: 1,
    model: "m",
    usage: { input_tokens: 20, output_tokens: 3 },
    incomplete_details: null,
    service_tier: null,
  }
  const OPENAI = [
    { type: "response.created", response },
    { type: "response.output_item.added", output_index: 0, item: { type: "message", id: "m", role: "assistant" } },
    { type: "response.output_text.delta", item_id: "m", delta: "Fine.", logprobs: null },
    { type: "response.output_item.done", output_index: 0, item: { type: "message", id: "m", role: "assistant" } },
    { type: "response.completed", response },
  ]
  const HEADERS = { "x-plan": "large" }

  test.each([
    [
      "anthropic",
      "anthropic/claude",
      ANTHROPIC,
      "oauth_code",
      { authorization: `Bearer ${providerKey("one")}`, "x-api-key": null, "x-plan": "large" },
    ],
    [
      "anthropic",
      "anthropic/claude",
      ANTHROPIC,
      "api_key",
      { authorization: null, "x-api-key": providerKey("one"), "x-plan": null },
    ],
    [
      "openai",
      "openai/gpt",
      OPENAI,
      "oauth_device",
      { authorization: `Bearer ${providerKey("one")}`, "x-plan": "large" },
    ],
    ["openai", "openai/gpt", OPENAI, "api_key", { authorization: `Bearer ${providerKey("one")}`, "x-plan": null }],
  ] as const)(
    "The engine %s with %s, %#, uses the account's own credential and base URL",
    async (engine, model, events, kind, expected) => {
      await addAccount(world, "one", { engine, kind, baseUrl: "https://account.test/base", headers: HEADERS })
      const seen: Request[] = []
      const answer = providerStream([...events])
      world.serve("account.test", (request) => {
        seen.push(request)
        return answer()
      })
      const turn = await world.runTurn(client, { space, model, end_user_ref: `${engine}-${kind}` })
      expect(turn).toMatchObject({ state: "done", result: "Fine." })
      expect(seen).toHaveLength(1)
      expect(new URL(seen[0]?.url ?? "").pathname).toMatch(/^\/base\//)
      const sent = Object.fromEntries(Object.keys(expected).map((name) => [name, seen[0]?.headers.get(name)]))
      expect(sent).toEqual(expected)
      const usage = await world.sql("select subscription_id from usage where turn_id = $1", [turn.turn_id])
      expect(usage).toEqual([{ subscription_id: "one" }])
    },
  )
})

test("An account that this isolate knows as cooling is not called, whatever an earlier statement picked", async () => {
  for (const id of ["alpha", "beta"]) await addAccount(world, id)
  const until = world.clock.ms() + 1e6
  const called = world.script((account) =>
    account === "alpha" ? { status: 429, headers: unified("5h", 100, until) } : FINE,
  )
  // Both claims have picked alpha before either of its calls is answered.
  let arrived = 0
  let open = () => {}
  const both = new Promise<void>((resolve) => {
    open = resolve
  })
  const bodies = [1, 2, 3].map((n) => ({ space, end_user_ref: `at-once-${n}` }))
  const ids = await Promise.all(bodies.map((body) => world.begin(client, body)))
  world.serve("model.test", async (request) => {
    arrived++
    if (arrived === 3) open()
    await both
    return world.provider.serve(request)
  })
  await world.drain()
  world.serve("model.test", (request) => world.provider.serve(request))
  for (const id of ids) expect((await client.getTurn(id)).state).toBe("done")
  expect(called.map(({ account }) => account).sort()).toEqual(["alpha", "alpha", "alpha", "beta", "beta", "beta"])
  await world.runTurn(client, { space, end_user_ref: "at-once-4" })
  expect(called.at(-1)?.account).toBe("beta")
})

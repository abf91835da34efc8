import { afterAll, beforeAll, expect, test } from "vitest"
import type { NewKey } from "../../src/keys/create-key.ts"
import { topUp } from "../../src/ops/seed.ts"
import { REFUSAL_POLICY } from "../../src/platform/refusal-memory.ts"
import type { Turn } from "../../src/turns/schemas.ts"
import { type JsonBody, readAnswer } from "../harness/answers.ts"
import { orderTool } from "../harness/customer.ts"
import { createFileClient } from "../harness/files.ts"
import { createRandom, type Random } from "../harness/random.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

// A failure names its seed.
const STEPS = 30

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const tools = ["one", "two", "three"].map((name) => {
  const properties = { id: { type: "string", description: 'Ein "Wert" — 0.0000001\n'.repeat(60), maximum: 1e21 } }
  return orderTool(undefined, {
    name,
    description: "Findet „Bestellungen“.\t".repeat(40),
    input_schema: { type: "object", properties },
  })
})
const subagents = ["researcher", "writer"].map((name) => ({ name, description: 'Says "so" ü.\n'.repeat(100) }))

interface Kind {
  name: string
  space: object
  /** Turns of the conversation that are already done. */
  earlier?: string[]
  files?: [name: string, body: string][]
}

const instructions = "Sei kurz — und freundlich. ".repeat(1334).slice(0, 36_000)
const long = `[reply ${"Zeile — ".repeat(700)}]`
const KINDS: Kind[] = [
  { name: "36,000 characters of instructions", space: { manifest: { instructions } } },
  { name: "tools and sub-agents", space: { tools, secrets: { TOKEN: "test" }, manifest: { subagents } } },
  { name: "history", space: {}, earlier: [long, "[reply short]", long] },
  { name: "history of two turns", space: { manifest: { history: { max_turns: 2 } } }, earlier: [long, long, long] },
  {
    name: "history of few tokens",
    space: { manifest: { history: { max_tokens: 5000 } } },
    earlier: [long, long, long],
  },
  {
    name: "files",
    space: { manifest: { builtin_tools: ["read_file"] } },
    files: [
      ["notes.txt", "Notiz ü ".repeat(4000)],
      ["broken.csv", "\xff\xfe;".repeat(3000)],
      ["scan.pdf", "%PDF"],
    ],
  },
  {
    name: "all of it",
    space: { tools, secrets: { TOKEN: "test" }, manifest: { instructions, subagents, max_output_tokens: 12 } },
    earlier: [long, long],
    files: [["notes.txt", "Notiz ü ".repeat(4000)]],
  },
]

interface Case {
  client: TestClient
  /** The body of every turn. */
  body: { space: string; end_user_ref: string; text: string; files?: string[] }
}

async function arrange(client: TestClient, { space: config, earlier = [], files = [] }: Kind): Promise<Case> {
  const space = await client.space(config)
  const upload = createFileClient(world, client)
  const added: string[] = []
  for (const [name, body] of files)
    added.push(
      (
        await upload.add(
          space,
          `?name=${name}`,
          Uint8Array.from(body, (char) => char.charCodeAt(0)),
        )
      ).file_id,
    )
  for (const text of earlier) expect((await client.runTurn({ space, text })).state).toBe("done")
  const body = { space, end_user_ref: "customer-1", text: "[reply ok]", ...(added.length > 0 && { files: added }) }
  return { client, body }
}

const estimate = async (client: TestClient, body: object): Promise<JsonBody> =>
  (await readAnswer(client.call("POST", "/v1/turns/estimate", body))).body

interface Told {
  accepted: number
  refused: number
}

/**
 * Sends up to three such turns, one by one or concurrently. Each ends as its estimate says, and
 * none fails.
 */
async function sendThree({ client, body }: Case, random: Random, told: Told): Promise<void> {
  const atOnce = random.int(2) === 0
  const turns: string[] = []
  for (let n = 0; n < 3; n++) {
    // A refusal that is remembered would name the amounts of an earlier turn.
    await world.advance(REFUSAL_POLICY.keptMs)
    const use = random.pick(["", "[use input=99999999]\n", "[use input=10]\n"])
    const { needed_usd } = await estimate(client, body)
    const max = random.pick([{}, { max_cost_usd: needed_usd }, { max_cost_usd: 2 * needed_usd }])
    const wish = { ...body, ...max, text: `${use}${body.text}` }
    const said = await estimate(client, wish)
    const { status, body: answer, retryAfter } = await readAnswer(client.sendTurn(wish))
    const why = JSON.stringify({ said, answer })
    expect(status === 202, why).toBe(said.admitted)
    if (status === 202) {
      expect(answer.held_usd, why).toBe(said.hold_usd)
      turns.push(answer.turn_id)
      told.accepted++
    } else {
      expect(answer.error, why).toMatchObject({ code: said.refused_by.code, details: said.refused_by.details })
      expect([answer.error.retryable, retryAfter]).toEqual([said.refused_by.retryable, said.refused_by.retry_after])
      told.refused++
    }
    if (!atOnce) await world.drain()
  }
  await world.drain()
  const ended: Turn[] = await Promise.all(turns.map((turn) => client.getTurn(turn)))
  for (const turn of ended) {
    // A max_cost_usd that cannot pay for the first call is refused for that reason, not because of
    // a cap or the balance.
    if (turn.state === "failed" && turn.error?.message.includes("max_cost_usd")) continue
    expect(turn.state, JSON.stringify(turn)).toBe("done")
  }
}

/** Amounts from zero to the price of three turns, with more values close to the cost of each next turn. */
function amounts(price: number, random: Random): number[] {
  const steps = Array.from({ length: STEPS }, (_, n) => Math.round((3 * price * n) / STEPS) + random.int(price / 8))
  const edges = [price - 1, price, 2 * price - 1, 2 * price]
  return [0, ...edges, price + 1, ...steps]
}

const MICROS = 10_000_000
const CAPS: ((usd: number) => NewKey["caps"])[] = [
  (usd) => ({ daily_usd: usd }),
  (usd) => ({ window_usd: usd, window_seconds: 3600 }),
  (usd) => ({ end_user_daily_usd: usd }),
  (usd) => ({ end_user_monthly_usd: usd }),
]

test.each(KINDS)("A turn that is accepted under a cap never fails because of it: $name", async (kind) => {
  const random = createRandom(kind.name)
  const { userId } = await world.createAccount({ usd: 1000 })
  const told = { accepted: 0, refused: 0 }
  const owner = world.createClient(userId, (await world.makeKey(userId, { scope: "all" })).value)
  const { body } = await arrange(owner, kind)
  const { needed_usd } = await estimate(owner, body)
  for (const amount of amounts(Math.round(needed_usd * MICROS), random)) {
    const caps = random.pick(CAPS)(amount / MICROS)
    const key = await world.makeKey(userId, { scope: "all", ...(caps && { caps }) })
    // An end user's counters include all keys.
    await world.sql(
      "update spend_counters set spent_credit_micros = 0, reserved_credit_micros = 0 where user_id = $1",
      [userId],
    )
    const client = world.createClient(userId, key.value)
    await sendThree({ client, body }, random, told).catch((error: unknown) => {
      throw new Error(`seed ${random.seed}, ${JSON.stringify(caps)}: ${(error as Error).message}`, { cause: error })
    })
  }
  console.log(`${kind.name}: needs ${needed_usd} USD, ${JSON.stringify(told)}, seed ${random.seed}`)
  expect(Math.min(told.accepted, told.refused)).toBeGreaterThan(STEPS / 4)
})

test.each(KINDS)("A turn that the balance accepts never fails because of it: $name", async (kind) => {
  const random = createRandom(`balance ${kind.name}`)
  const client = await world.createAccount({ usd: 10 })
  const told = { accepted: 0, refused: 0 }
  const arranged = await arrange(client, kind)
  const { needed_usd } = await estimate(client, arranged.body)
  const plain = await client.space({ manifest: { builtin_tools: [], history: { max_turns: 0 } } })
  for (const amount of amounts(Math.round(needed_usd * MICROS), random)) {
    const { available_usd } = (await (await client.call("GET", "/v1/balance")).json()) as { available_usd: number }
    if (available_usd > 0) {
      // Spends all credit, or all but less than the smallest turn needs.
      await client.sendTurn({ space: plain, text: "[use input=99999999]", max_cost_usd: available_usd })
      await world.drain()
    }
    const rest = ((await (await client.call("GET", "/v1/balance")).json()) as { available_usd: number }).available_usd
    const micros = amount - Math.round(rest * MICROS)
    if (micros > 0) {
      const { userId } = client
      await topUp(world.sql, { userId, micros, reason: "operator_topup", actor: "test", now: world.clock.now() })
    }
    await sendThree(arranged, random, told).catch((error: unknown) => {
      throw new Error(`seed ${random.seed}, ${amount} micros: ${(error as Error).message}`, { cause: error })
    })
  }
  console.log(`${kind.name}: needs ${needed_usd} USD, ${JSON.stringify(told)}, seed ${random.seed}`)
  expect(Math.min(told.accepted, told.refused)).toBeGreaterThan(STEPS / 4)
})

import { env as bindings } from "cloudflare:workers"
import { expect } from "vitest"
import type { FaultRule } from "../../src/local/faults.ts"
import { expectPromises } from "./promises.ts"
import type { TestClient, World } from "./world.ts"

const settings = bindings as unknown as { TURNPIKE_THOROUGH: string; TURNPIKE_PART: string }
/** True in the thorough tier (scripts/test-tiers.ts): tests use every moment and seed instead of a sample. */
export const isThorough = settings.TURNPIKE_THOROUGH === "1"
/** True in CI, whose time is bounded: in the thorough tier, each moment has two of its four failures. */
export const isPart = settings.TURNPIKE_PART === "1"

/** The failures of one call: with or without its effect, and with the answer lost. */
const WAYS: Pick<FaultRule, "action" | "when">[] = [
  { action: "fail", when: "before" },
  { action: "cut", when: "before" },
  { action: "fail", when: "after" },
  { action: "cut", when: "after" },
]

/**
 * Failures to inject at this call. The thorough tier uses all of them, or two per call in CI and in a scenario of more
 * than 40 calls. The default tier uses one at about eight calls.
 */
function waysOf(call: number, calls: number): typeof WAYS {
  if (isThorough && calls <= 40 && !isPart) return WAYS
  const every = Math.ceil(calls / 8)
  if (!isThorough) return call % every === 0 ? WAYS.slice((call / every) % WAYS.length).slice(0, 1) : []
  return WAYS.filter((_, index) => (call % 2 === 0 ? index === 0 || index === 3 : index === 1 || index === 2))
}

export interface Scenario {
  /** The body that creates the scenario's space. */
  space?: object
  name: string
  /** Prepares the world before the harness counts calls. */
  arrange?(client: TestClient): Promise<void>
  act(client: TestClient, space: string): Promise<void>
  check(turns: Awaited<ReturnType<typeof expectPromises>>, client: TestClient): void | Promise<void>
}

/** Runs a scenario without failures, then once for each of its calls and each failure of that call. */
export async function survivesEveryFailure(world: World, scenario: Scenario): Promise<void> {
  await world.plan([])
  const first = await run(world, scenario)
  const calls = first.calls
  await scenario.check(await expectPromises(world, first.client.userId), first.client)

  const counts: Record<string, number> = {}
  let ways = 0
  for (const call of calls) {
    counts[call.service] = (counts[call.service] ?? 0) + 1
    for (const way of waysOf(call.n, calls.length)) {
      ways++
      const { client } = await run(world, scenario, [{ call: call.n, ...way }]).catch((error: unknown) => {
        throw new Error(`${way.action} ${way.when} call ${call.n} (${call.service} ${call.label.slice(0, 60)})`, {
          cause: error,
        })
      })
      try {
        await scenario.check(await expectPromises(world, client.userId), client)
      } catch (error) {
        throw new Error(
          `${way.action} ${way.when} call ${call.n} (${call.service} ${call.label.slice(0, 60)}): ${(error as Error).message}`,
          { cause: error },
        )
      }
    }
  }
  console.log(`${scenario.name}: ${calls.length} boundaries ${JSON.stringify(counts)}, ${ways} failures`)
  expect(calls.length).toBeGreaterThan(4)
}

/** Acts under a fault plan, then lets time, redelivery and the sweeper work until every turn has ended. */
async function run(world: World, scenario: Scenario, rules: FaultRule[] = []) {
  const client = await world.createAccount()
  const space = await client.space(scenario.space)
  await scenario.arrange?.(client)
  await world.plan(rules)
  await scenario.act(client, space)
  await world.settled()
  const calls = await world.calls()
  for (let round = 0; (await openTurns(world, client)) > 0; round++) {
    if (round === 40) throw new Error("a turn is stuck")
    await world.advance(20_000)
    await world.drain()
    await world.sweep()
    await world.drain()
  }
  await world.clearFaults()
  return { client, calls }
}

async function openTurns(world: World, client: TestClient): Promise<number> {
  const rows = await world.sql("select 1 from turns where user_id = $1 and state in ('queued', 'running')", [
    client.userId,
  ])
  return rows.length
}

/** Repeats a request until a fault or a busy database refuses it no more. Returns the answer. */
export async function sendUntilAnswered(send: () => Promise<Response>): Promise<Response> {
  for (let tries = 0; tries < 20; tries++) {
    const response = await send()
    if (response.status !== 503) return response
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0)
  }
  throw new Error("never answered")
}

export async function sendUntilAccepted(
  client: TestClient,
  body: { space: string } & Record<string, unknown>,
): Promise<string> {
  const key = crypto.randomUUID()
  const response = await sendUntilAnswered(() => client.sendTurn(body, key))
  expect(response.status, await response.clone().text()).toBe(202)
  return ((await response.json()) as { turn_id: string }).turn_id
}

export async function cancelUntilAnswered(client: TestClient, turnId: string): Promise<void> {
  const response = await sendUntilAnswered(() => client.call("POST", `/v1/turns/${turnId}/cancel`))
  expect(response.status, await response.text()).toBe(200)
}

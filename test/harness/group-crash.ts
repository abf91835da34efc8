import { expect } from "vitest"
import { commitAnswer } from "../../src/runs/commit-step.ts"
import { releaseTurn } from "../../src/runs/run-turn.ts"
import { sweepTurns } from "../../src/runs/sweep-turns.ts"
import { TURN_POLICY } from "../../src/turns/policies.ts"
import { claimTurn } from "./claim.ts"
import { contextOf } from "./context.ts"
import { orderTool, serveCustomer } from "./customer.ts"
import { type Death, runUntilDeath } from "./killed-runner.ts"
import { MODEL_PIN } from "./models.ts"
import { expectPromises } from "./promises.ts"
import { finishedStep } from "./steps.ts"
import { type TestClient, turnOf, type World } from "./world.ts"

const USE = "[use input=100 output=10]"

/** The next act of a turn when the runner finds it. */
const STAGES = {
  plain: { text: USE },
  "with a model's server": { text: "hello", model: MODEL_PIN },
  "with three steps": { text: `${USE}\n[steps 3]` },
  "with a tool": { text: `${USE}\n[call lookup_order {"id":"A-1"}]` },
  begun: { text: `${USE}\n[steps 3]` },
  "started and cancelled": { text: `${USE}\n[steps 3]` },
  "waiting for an earlier turn of its conversation": { text: USE },
} satisfies Record<string, object>

export type Stage = keyof typeof STAGES
export const ALL_STAGES = Object.keys(STAGES) as Stage[]

interface Fate {
  state: string
  billed: number
}

/** Worlds with turns of several accounts, in which a runner dies at a chosen call. */
export function createGroupCrash(world: World) {
  let handler: (request: Request) => Response | Promise<Response> = () => new Response(null, { status: 404 })
  const customer = serveCustomer({
    serve(host, answer) {
      handler = answer
      world.serve(host, answer)
    },
  })
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { host } = new URL(input instanceof Request ? input.url : input)
    return host === customer.host ? handler(new Request(input, init)) : globalThis.fetch(input, init)
  }
  let messages = 0

  /**
   * Sends a turn for each stage, plus an earlier turn in the same conversation for a stage that
   * waits. Returns their ids.
   */
  async function send(client: TestClient, stages: Stage[]): Promise<string[]> {
    const space = await client.space({ tools: [orderTool(customer.host)], secrets: { TOKEN: "canary-token-1" } })
    const ids: string[] = []
    for (const [n, stage] of stages.entries()) {
      const body = { space, conversation: `c${n}`, ...STAGES[stage] }
      const times = stage === "waiting for an earlier turn of its conversation" ? 2 : 1
      for (let sent = 0; sent < times; sent++) ids.push((await turnOf(await client.sendTurn(body))).turn_id)
      if (stage.startsWith("begun")) await begin(ids.at(-1) as string)
      if (stage === "started and cancelled") await client.call("POST", `/v1/turns/${ids.at(-1)}/cancel`)
    }
    return ids
  }

  /** Commits one step of a turn as a worker would, then releases the turn. */
  async function begin(turnId: string): Promise<void> {
    const ctx = contextOf(world)
    const claim = await claimTurn(ctx, turnId)
    if (!claim) throw new Error("not claimed")
    await commitAnswer(ctx, claim.turn, finishedStep(0, { text: "Step 1 of 3." }), [])
    await releaseTurn(ctx, claim.turn, { broke: false, delayMs: 0 })
  }

  /**
   * Runs one world: its turns, a runner that may die in it, and all work that ends the turns.
   * Returns the turns.
   */
  async function run(groups: Stage[][], death?: Death) {
    const sent: { userId: number; ids: string[] }[] = []
    for (const stages of groups) {
      const client = await world.createAccount({ usd: 100 })
      sent.push({ userId: client.userId, ids: await send(client, stages) })
    }
    await world.settled()
    await world.qstash.reset()
    customer.effects.clear()
    const { calls, ended } = await runUntilDeath(world, {
      fetch,
      message: `msg_${messages++}`,
      ...(death && { death }),
    })
    const open = async () => (await world.sql("select from open_turns")).length
    for (let round = 0; (await open()) > 0; round++) {
      if (round === 20) throw new Error("a turn is stuck")
      await world.advance(round === 0 ? TURN_POLICY.leaseMs + 1 : 20_000)
      await sweepTurns(contextOf(world))
      await world.drain()
    }
    const fates: Fate[][] = []
    for (const { userId, ids } of sent) {
      const turns = new Map((await expectPromises(world, userId)).map((turn) => [turn.turn_id, turn]))
      fates.push(ids.map((id) => ({ state: turns.get(id)?.state ?? "missing", billed: turns.get(id)?.billed ?? 0 })))
    }
    return { fates, calls, ended, effects: [...customer.effects.keys()] }
  }

  return {
    /**
     * Kills the runner of such a world before and after each of its calls; `everyNth` takes a
     * sample. Each turn must end as it does without a death, with no effect or bill lost or
     * doubled.
     */
    async survivesEveryDeath(name: string, groups: Stage[][], everyNth = 1): Promise<void> {
      const undisturbed = await run(groups)
      expect(undisturbed.ended, "the runner did all the work").not.toBe("dead")
      const boundaries = Object.values(undisturbed.calls).reduce((sum, count) => sum + count, 0)
      let deaths = 0
      for (let call = 1; call <= boundaries; call += everyNth) {
        for (const when of ["before", "after"] as const) {
          const one = await run(groups, { call, when }).catch((cause: unknown) => {
            throw new Error(`died ${when} call ${call} of ${boundaries}: ${cause}`, { cause })
          })
          if (one.ended === "dead") deaths++
          expect(one.fates, `died ${when} call ${call} of ${boundaries}`).toEqual(undisturbed.fates)
          expect(one.effects.length, `effects when it died ${when} call ${call}`).toBe(undisturbed.effects.length)
        }
      }
      console.log(`${name}: ${boundaries} boundaries ${JSON.stringify(undisturbed.calls)}, ${deaths} deaths`)
      expect(deaths).toBeGreaterThan(1)
    },
  }
}

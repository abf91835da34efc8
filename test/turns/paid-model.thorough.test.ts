import { env as bindings } from "cloudflare:workers"
import { afterAll, beforeAll, expect, test } from "vitest"
import { addModel } from "../harness/models.ts"
import { type Met, PaidSequence, randomScript } from "../harness/paid-sequence.ts"
import { createRandom, type Random } from "../harness/random.ts"
import { PROVIDED_PIN, PROVIDER_URL, scriptProvider } from "../harness/scripted-provider.ts"
import { createWorld, type World } from "../harness/world.ts"

// A third of the sequences of the reference model: 17 locally. To repeat a failure, set
// TURNPIKE_SEQUENCES=1 TURNPIKE_SEED=<its seed>.
const settings = bindings as unknown as { TURNPIKE_SEQUENCES: string; TURNPIKE_SEED: string }
const SEQUENCES = Math.ceil(Number(settings.TURNPIKE_SEQUENCES) / 3)

let world: World
beforeAll(async () => {
  world = await createWorld({ env: { OPENAI_BASE_URL: PROVIDER_URL } })
  await addModel(world)
})
afterAll(() => world.close())

test(`Random turns (${SEQUENCES}) are billed by the provider's output within the hold, and our losses are not billed`, async () => {
  const base = Number(settings.TURNPIKE_SEED) || createRandom("what is paid").seed
  const met: Met = { ends: {}, calls: {}, lost: {} }
  let random: Random = createRandom("", base)
  const provider = scriptProvider(world, (asked, n) => randomScript(random, asked, n))
  for (let n = 0; n < SEQUENCES; n++) {
    const seed = (base + n) >>> 0
    random = createRandom("", seed)
    const client = await world.createAccount({ usd: 1 })
    const space = await client.space({
      manifest: {
        builtin_tools: [],
        subagents: [{ name: "researcher", description: "Finds out.", model: PROVIDED_PIN, max_steps: 4 }],
      },
    })
    const sequence = new PaidSequence(world, provider, { random, met })
    await sequence.run(client, space).catch((error: unknown) => {
      throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error })
    })
  }
  console.log(`${SEQUENCES} paid turns, ${provider.sent.length} calls, seeds from ${base}, ${JSON.stringify(met)}`)
  if (SEQUENCES >= 50) expect(Object.keys(met.calls).sort()).toEqual(["cut", "whole", "whole, not counted"])
})

import { env as bindings } from "cloudflare:workers"
import { afterAll, beforeAll, expect, test } from "vitest"
import type { KeyCredential } from "../../src/actor/actor.ts"
import { createContext } from "../../src/actor/context.ts"
import { parseBaseEnv } from "../../src/base/env.ts"
import { parseApiKey } from "../../src/keys/api-key.ts"
import { noQueue } from "../harness/context.ts"
import { BARE } from "../harness/customer.ts"
import { createRandom } from "../harness/random.ts"
import type { ModelAccount } from "../harness/reference-account.ts"
import { Sequence } from "../harness/reference-model.ts"
import { createWorld, type World } from "../harness/world.ts"

// 50 locally, 2,000 in CI. To repeat a failure, set TURNPIKE_SEQUENCES=1 TURNPIKE_SEED=<the printed seed>.
const settings = bindings as unknown as { TURNPIKE_SEQUENCES: string; TURNPIKE_SEED: string }
const [SEQUENCES, LENGTH] = [Number(settings.TURNPIKE_SEQUENCES), 16]

let world: World
let context: ReturnType<typeof createContext>
beforeAll(async () => {
  world = await createWorld()
  // A cancel waits until no more calls can start, so time has to pass.
  const clock = { ...world.clock, sleep: (ms: number) => world.advance(ms) }
  // This test does not cover publishing: it may always fail, and no assertion may depend on it.
  const quiet = { queue: noQueue, log: () => {} }
  context = { ...createContext(parseBaseEnv(world.env), () => {}, { clock }), ...quiet }
})
afterAll(() => world.close())

test(`Random sequences (${SEQUENCES}) agree with the reference model after every step`, async () => {
  const base = Number(settings.TURNPIKE_SEED) || createRandom("reference model").seed
  const met: Record<string, number> = {}
  for (let n = 0; n < SEQUENCES; n++) {
    const seed = (base + n) >>> 0
    const { userId, key, space } = await world.createAccount({ usd: 0 })
    const other = await world.makeKey(userId, { scope: "all" })
    const [{ key_id: keyId } = { key_id: "" }] = await world.sql<{ key_id: string }>(
      "select key_id from api_keys where user_id = $1 and key_id <> $2",
      [userId, other.key_id],
    )
    const keys = [
      { keyId, value: key },
      { keyId: other.key_id, value: other.value },
    ]
    const credentialOf = (value: string) => parseApiKey(value) as KeyCredential
    const account: ModelAccount = {
      userId,
      keys: keys.map(({ keyId, value }) => ({ keyId, credential: credentialOf(value) })),
      space: await space(BARE),
    }
    const sequence = new Sequence({ world, context, random: createRandom("", seed) }, account)
    try {
      await sequence.run(LENGTH)
    } catch (error) {
      throw new Error(`seed ${seed}, after ${sequence.done.join(", ")}: ${(error as Error).message}`, { cause: error })
    }
    for (const [what, count] of Object.entries(sequence.met)) met[what] = (met[what] ?? 0) + count
    // The next sequence needs a database without open turns, because the sweeper would find them.
    await world.sql(`update open_turns set wake_at = 'infinity' where user_id = $1`, [userId])
  }
  console.log(`${SEQUENCES} sequences of ${LENGTH} operations, seeds from ${base}, ${JSON.stringify(met)}`)
  if (SEQUENCES >= 100) expect(Object.keys(met).filter((what) => what.startsWith("refused"))).toHaveLength(6)
})

import { env as bindings } from "cloudflare:workers"
import type { KeyCredential } from "../../src/actor/actor.ts"
import { parseApiKey } from "../../src/keys/api-key.ts"
import { forgetful, quietContextOf } from "./context.ts"
import { BARE } from "./customer.ts"
import { createRandom } from "./random.ts"
import type { ModelAccount } from "./reference-account.ts"
import type { Sequence } from "./reference-model.ts"
import type { World } from "./world.ts"

// 6 in the default tier, 500 in the thorough tier. To repeat a failure, set TURNPIKE_SEQUENCES=1
// TURNPIKE_SEED=<the printed seed>.
const settings = bindings as unknown as { TURNPIKE_SEQUENCES: string; TURNPIKE_SEED: string }
export const SEQUENCES = Number(settings.TURNPIKE_SEQUENCES)

interface SequencesOptions {
  /** Chooses the seeds, unless the environment does. */
  name: string
  /** The operations of each sequence. */
  length: number
  /** How many sequences run. */
  sequences?: number
  start: (...args: ConstructorParameters<typeof Sequence>) => Sequence
}

/** Runs each sequence in an account of its own. Returns how often each case was met. */
export async function runSequences(
  world: World,
  { name, length, start, sequences = SEQUENCES }: SequencesOptions,
): Promise<Record<string, number>> {
  // A cancel waits until no more calls can start, so time has to pass.
  const quiet = quietContextOf(world, { clock: { ...world.clock, sleep: (ms) => world.advance(ms) } })
  const context = { ...quiet, refusals: forgetful(quiet) }
  const base = Number(settings.TURNPIKE_SEED) || createRandom(name).seed
  const met: Record<string, number> = {}
  for (let n = 0; n < sequences; n++) {
    const seed = (base + n) >>> 0
    const account = await createModelAccount(world)
    const sequence = start({ world, context, random: createRandom("", seed) }, account)
    try {
      await sequence.run(length)
    } catch (error) {
      // Periods of caps depend on the time, and earlier sequences have let it pass.
      const at = world.clock.now().toISOString()
      const done = sequence.done.join(", ")
      throw new Error(`seed ${seed} at ${at}, after ${done}: ${(error as Error).message}`, { cause: error })
    }
    for (const [what, count] of Object.entries(sequence.met)) met[what] = (met[what] ?? 0) + count
    // The next sequence needs a database without open and waiting turns, because sweeps would find them.
    await world.sql("update open_turns set wake_at = 'infinity' where user_id = $1", [account.userId])
    await world.sql("delete from waiting_turns where user_id = $1", [account.userId])
    await world.sql("delete from waiting_accounts where user_id = $1", [account.userId])
  }
  console.log(`${sequences} sequences of ${length} operations, seeds from ${base}, ${JSON.stringify(met)}`)
  return met
}

async function createModelAccount(world: World): Promise<ModelAccount> {
  const { userId, key, space } = await world.createAccount({ usd: 0 })
  const other = await world.makeKey(userId, { scope: "all" })
  const [{ key_id: keyId } = { key_id: "" }] = await world.sql<{ key_id: string }>(
    "select key_id from api_keys where user_id = $1 and key_id <> $2",
    [userId, other.key_id],
  )
  const credentialOf = (value: string) => parseApiKey(value) as KeyCredential
  const keys = [
    { keyId, credential: credentialOf(key) },
    { keyId: other.key_id, credential: credentialOf(other.value) },
  ]
  return { userId, keys, space: await space(BARE) }
}

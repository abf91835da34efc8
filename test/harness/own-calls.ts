import type { CountedCall } from "./provider-reports.ts"
import type { World } from "./world.ts"

/** A model call of ours. `at`: when its answer was committed. */
export interface OwnCall extends CountedCall {
  seconds: number
  /** The amount at our prices. */
  billed: number
}

/** Stores calls that an account served, as ended turns leave them. `engine`: of their pins. */
export async function storeCalls(world: Pick<World, "sql">, providerId: string, engine: string, calls: OwnCall[]) {
  await world.sql(
    `insert into model_calls (user_id, space_id, key_id, end_user_ref, conversation_id, turn_id, step, test, provider,
       subscription_id, model, tokens_input, tokens_cached, tokens_cache_written, tokens_output, duration_sec,
       price_version, cost_credit_micros, provider_credit_micros, billed_credit_micros, created_at, settled_at, response_id)
     select 1, 1, 'key', 'customer', 'conv', 'turn_' || c.id, 0, false, $2, $1, $2 || '/' || c.model, c.input, c.cached,
       c.written, c.output, c.seconds, 1, c.billed, c.micros, c.billed, c.at, c.at, c.id
     from jsonb_to_recordset($3) as c (id text, model text, at timestamptz, input bigint, cached bigint, written bigint,
       output bigint, micros bigint, billed bigint, seconds double precision)`,
    [providerId, engine, JSON.stringify(calls)],
  )
}

import { type ExpressionBuilder, sql } from "kysely"
import { jsonArrayFrom, jsonObjectFrom } from "kysely/helpers/postgres"
import type { CallerDB } from "../actor/call-as.ts"
import { toInstant } from "../base/time.ts"
import { ENVIRONMENT_FILES } from "./environment-file.ts"

/** The number of newest model calls that are counted for the use of keys. This takes about 10 ms. */
export const COUNTED_CALLS = 20_000

/** One row for each pair of a key and a provider whose calls use it. */
const SERVED = Object.entries(ENVIRONMENT_FILES).flatMap(([file, { keys }]) =>
  Object.entries(keys).flatMap(([key, providers]) => providers.map((provider) => ({ file, key, provider }))),
)

/** The totals of the counted calls of a key. */
interface UseRow {
  file: string
  key: string
  calls: number
  tokens_input: number
  tokens_cached: number
  tokens_output: number
  micros: number
  last_at: string
}

interface LookedRow {
  calls: number
  first_at: string | null
}

/** `looked`: how many calls were read, and when the oldest was made. */
export interface KeyUse {
  uses: UseRow[]
  looked: LookedRow | null
}

/**
 * Selects the use of keys as JSON. A call counts for the key of its provider if no pool account served it (a numeric
 * `subscription_id` is a plan), and if it started after the key was first set, with whichever value.
 */
export function selectKeyUse(eb: ExpressionBuilder<CallerDB, "caller">) {
  const calls = eb
    .selectFrom("model_calls as c")
    .select(["c.provider", "c.tokens_input", "c.tokens_cached", "c.tokens_output"])
    .select(({ fn }) => fn.coalesce("c.provider_credit_micros", "c.cost_credit_micros").as("cost_credit_micros"))
    .select(["c.subscription_id", "c.created_at", "c.duration_sec"])
    .orderBy("c.turn_id", "desc")
    .orderBy("c.step", "desc")
    .limit(COUNTED_CALLS)
  const looked = jsonObjectFrom(
    eb
      .selectFrom(calls.as("n"))
      .select(({ fn }) => [fn.countAll<number>().as("calls"), fn.min("n.created_at").as("first_at")]),
  )
  const served = sql<{
    file: string
    key: string
    provider: string
  }>`jsonb_to_recordset(${JSON.stringify(SERVED)}::jsonb)`
  const uses = eb
    .selectFrom(calls.as("n"))
    .innerJoin(served.as<"m">(sql`m(file text, key text, provider text)`), (join) =>
      join.onRef("m.provider", "=", "n.provider"),
    )
    .innerJoin("environment_keys as k", (join) => join.onRef("k.file", "=", "m.file").onRef("k.key", "=", "m.key"))
    .where((e) => e.or([e("n.subscription_id", "is", null), e("n.subscription_id", "~", "^[0-9]+$")]))
    .where(sql<boolean>`n.created_at - n.duration_sec * interval '1 second' >= k.set_at`)
    .groupBy(["k.file", "k.key"])
    .select(({ fn }) => [
      ...(["k.file", "k.key"] as const),
      fn.countAll<number>().as("calls"),
      fn.sum<number>("n.tokens_input").as("tokens_input"),
      fn.sum<number>("n.tokens_cached").as("tokens_cached"),
      fn.sum<number>("n.tokens_output").as("tokens_output"),
      fn.sum<number>("n.cost_credit_micros").as("micros"),
      fn.max("n.created_at").as("last_at"),
    ])
  return [jsonArrayFrom(uses).as("uses"), looked.as("looked")] as const
}

const NO_USE = { calls: 0, tokens_input: 0, tokens_cached: 0, tokens_output: 0, micros: 0, last_at: null }

/**
 * The use of one key since `setAt`; null: it has no value. `since`: the time of the oldest counted call; null if all
 * calls of the key are counted.
 */
export function useOf({ uses, looked }: KeyUse, file: string, key: string, setAt: string | null) {
  const use = (setAt !== null && uses.find((row) => row.file === file && row.key === key)) || NO_USE
  const since = looked?.first_at && looked.calls >= COUNTED_CALLS ? toInstant(looked.first_at) : null
  return { ...use, since: since !== null && setAt !== null && toInstant(setAt) < since ? since : null }
}

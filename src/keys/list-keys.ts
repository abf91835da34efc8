import type { SqlBool } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import type { SessionCredential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { holds } from "../base/pagination.ts"
import { released } from "../platform/db.ts"
import { isTextOf } from "../platform/one-of.ts"
import type { Answers } from "../platform/procedures.ts"
import { type RateState, rateStates } from "../quotas/rate.ts"
import { type KeyRow, keyColumns, keyNotFound, keySpace } from "./key-row.ts"

export interface KeySearch {
  /** Test or live keys; undefined: both. */
  test?: boolean | undefined
  /** A part of the name, or a prefix of the id. */
  q?: string | undefined
  /** Only these ids (`key_…`). Unknown ones are left out. */
  key?: string[] | undefined
}

/** The caller's keys, newest first. */
export async function listKeys(
  ctx: Context,
  credential: SessionCredential,
  { search: { test, q, key }, limit, offset }: { search: KeySearch; limit: number; offset: number },
): Promise<{ keys: KeyRow[]; total: number }> {
  const { rows } = await readAs(ctx, credential, (db) =>
    db.selectFrom("caller").select((eb) => {
      const mine = eb
        .selectFrom("api_keys as k")
        .whereRef("k.user_id", "=", "caller.user_id")
        .$if(test !== undefined, (query) => query.where("k.test", "=", test === true))
        .$if(key !== undefined, (query) => query.where(isTextOf("k.key_id", key ?? [])))
        .$if(q !== undefined, (query) =>
          query.where((w) =>
            w.or([holds(w.ref("k.name"), q ?? ""), w.fn<SqlBool>("starts_with", ["k.key_id", w.val(q)])]),
          ),
        )
      const page = mine
        .select(keyColumns)
        .select(keySpace)
        .orderBy("k.key_id", (order) => order.collate("C").desc())
        .limit(limit)
        .offset(offset)
      return [mine.select(({ fn }) => fn.countAll<number>().as("count")).as("total"), jsonArrayFrom(page).as("keys")]
    }),
  )
  return { keys: rows[0]?.keys ?? [], total: rows[0]?.total ?? 0 }
}

/** One of the caller's keys with the state of its caps and of its rate. Throws NOT_FOUND. */
export async function getKey(
  ctx: Context,
  credential: SessionCredential,
  keyId: string,
): Promise<KeyRow & { cap_states: Answers["cap_state"][]; rate_states: RateState[] }> {
  const { rows } = await readAs(ctx, credential, (db) =>
    db
      .selectFrom("caller")
      .innerJoin("api_keys as k", "k.user_id", "caller.user_id")
      .where("k.key_id", "=", keyId)
      .select(keyColumns)
      .select(keySpace)
      .select(({ fn, ref, val }) =>
        fn<Answers["cap_state"][]>(released("key_caps"), [
          ref("k.key_id"),
          ref("k.user_id"),
          ref("k.test"),
          val(ctx.clock.now()),
        ]).as("cap_states"),
      )
      .select(({ fn, ref }) => fn<Answers["rates_state"]>(released("key_rates"), [ref("k.key_id")]).as("rated")),
  )
  if (!rows[0]) throw keyNotFound(keyId)
  const { rated, ...key } = rows[0]
  const [states = []] = await rateStates(ctx, [{ ...rated, endUser: "" }])
  return { ...key, rate_states: states }
}

import { sql } from "kysely"
import type { Context } from "../context.ts"
import { endTurns } from "../turns/end-turns.ts"
import type { OpenErasure } from "./erasure-row.ts"
import { ERASURE_POLICY } from "./policies.ts"
import { coveredBy, redactTurns } from "./redact-turns.ts"

/**
 * Takes an erasure as far as `rounds` of each kind go: cancels what is open, redacts what has ended, removes objects, and notes
 * that all is gone when it is. Every part may be repeated, and whatever breaks in between is taken up by the sweeper.
 */
export async function runErasure(ctx: Context, erasure: OpenErasure, { rounds }: { rounds: number }): Promise<void> {
  await sql`update erasures set tried_at = ${ctx.clock.now()}::timestamptz where erasure_id = ${erasure.erasure_id}`.execute(
    ctx.db,
  )
  await endTurns(ctx, causeOf(erasure), { batches: rounds })
  await repeat(rounds, async () => (await redactTurns(ctx, erasure)) > 0)
  await repeat(rounds, async () => (await removeErasedObjects(ctx, erasure)) === ERASURE_POLICY.objectsPerRound)
  await noteErased(ctx, erasure)
}

const causeOf = ({ user_id, test, end_user_ref, until_at }: OpenErasure) =>
  ({
    cause: "end_user",
    userId: user_id,
    test,
    endUserRef: end_user_ref,
    until: new Date(until_at),
    reason: "end_user_erased",
  }) as const

/** Looks through it all once more, for what a worker that was given up may have written since; then it is closed. */
export async function checkErasure(ctx: Context, erasure: OpenErasure): Promise<void> {
  await sql`update erased_objects set removed_at = null where erasure_id = ${erasure.erasure_id}
    and removed_at <= ${erasure.erased_at}::timestamptz`.execute(ctx.db)
  await runErasure(ctx, erasure, { rounds: ERASURE_POLICY.roundsOfSweep })
  // What a dispatcher has noted of a receiver's answer while its turn was redacted.
  await sql`update webhook_attempts a set answer = null from turns t, webhook_deliveries d
    where ${coveredBy(erasure)} and t.erased_at is not null and d.turn_id = t.turn_id and a.delivery_id = d.delivery_id
      and a.answer is not null`.execute(ctx.db)
  await sql`with closed as (
      update erasures e set checked_at = ${ctx.clock.now()}::timestamptz
      where e.erasure_id = ${erasure.erasure_id} and e.checked_at is null
        and not exists (select 1 from turns t where ${coveredBy(erasure)} and t.erased_at is null)
        and not exists (select 1 from erased_objects o where o.erasure_id = e.erasure_id and o.removed_at is null)
      returning e.erasure_id
    ) delete from erased_objects o using closed where o.erasure_id = closed.erasure_id`.execute(ctx.db)
}

async function repeat(rounds: number, work: () => Promise<boolean>): Promise<void> {
  for (let round = 0; round < rounds; round++) if (!(await work())) return
}

/** Removes some objects of an erasure from the bucket: single ones, and all below a turn's prefix, which may have no row. */
async function removeErasedObjects(ctx: Context, { erasure_id }: OpenErasure): Promise<number> {
  const { rows } = await sql<{ object_key: string }>`select object_key from erased_objects
    where erasure_id = ${erasure_id} and removed_at is null limit ${ERASURE_POLICY.objectsPerRound}`.execute(ctx.db)
  if (rows.length === 0) return 0
  const keys = rows.map((row) => row.object_key)
  const found = await Promise.all(keys.map((key) => (key.endsWith("/") ? keysBelow(ctx, key) : [key])))
  const objects = found.flat()
  for (let at = 0; at < objects.length; at += 1000) await ctx.files.delete(objects.slice(at, at + 1000))
  await sql`update erased_objects set removed_at = ${ctx.clock.now()}::timestamptz where erasure_id = ${erasure_id}
    and object_key in (select jsonb_array_elements_text(${JSON.stringify(keys)}::jsonb))`.execute(ctx.db)
  return rows.length
}

async function keysBelow(ctx: Context, prefix: string): Promise<string[]> {
  const keys: string[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await ctx.files.list({ prefix, ...(cursor && { cursor }) })
    keys.push(...page.keys)
    if (page.cursor === undefined) return keys
    cursor = page.cursor
  }
}

async function noteErased(ctx: Context, erasure: OpenErasure): Promise<void> {
  await sql`update erasures e set erased_at = ${ctx.clock.now()}::timestamptz
    where e.erasure_id = ${erasure.erasure_id} and e.erased_at is null
      and not exists (select 1 from turns t where ${coveredBy(erasure)} and t.erased_at is null)
      and not exists (select 1 from erased_objects o where o.erasure_id = e.erasure_id and o.removed_at is null)`.execute(
    ctx.db,
  )
}

import { type RawBuilder, sql } from "kysely"
import type { Context } from "../context.ts"
import { TurnpikeError } from "../errors.ts"
import { inScope, queryAs } from "../identity/actor.ts"
import type { Credential } from "../identity/credential.ts"
import { spaceNotFound } from "./get-space.ts"
import type { SpaceRow } from "./serialize-space.ts"
import { unknownPinCte, unknownPinError, type WantedPin } from "./wanted-pins.ts"

interface ConfigChange {
  /** What is changed, for the version's record: `tools/lookup_order`. */
  what: string
  /** Assignments to spaces `s`. */
  set: RawBuilder<unknown>
  /** A condition on spaces `s` under which there is something to change. */
  onlyIf: RawBuilder<unknown>
  pins?: WantedPin[]
  /** Further CTEs that act on `changed`, at most one row. */
  also?: RawBuilder<unknown>
  /** A value out of them. */
  answer?: RawBuilder<unknown>
}

/**
 * Changes a space's configuration, in one statement, as a new version of it; returns the space before and after (null
 * when `onlyIf` did not hold: then there is no new version). NOT_FOUND, CONFLICT for an archived space,
 * VALIDATION_FAILED for an unknown pin.
 */
export async function changeConfig(
  ctx: Context,
  credential: Credential,
  spaceId: string,
  { what, set, onlyIf, pins = [], also, answer = sql`null` }: ConfigChange,
): Promise<{ before: SpaceRow; after: SpaceRow | null; answer: unknown }> {
  type Row = { before: SpaceRow | null; after: SpaceRow | null; unknown_pin: string | null; answer: unknown }
  const { row } = await queryAs<Row>(ctx, credential, {
    ctes: sql`target as materialized (
        select s.* from spaces s, caller where s.slug = ${spaceId} and ${inScope}
      ), ${unknownPinCte(pins)}, changed as (
        update spaces s set ${set}, config_version = s.config_version + 1, config_change = ${what},
          updated_at = ${ctx.clock.now()}::timestamptz
        from target
        where s.space_id = target.space_id and s.archived_at is null and not exists (select 1 from unknown_pin)
          and (${onlyIf})
        returning s.*
      )${also ? sql`, ${also}` : sql``}`,
    select: sql`select (select to_jsonb(target) from target) as before, (select to_jsonb(changed) from changed) as after,
        (select pin from unknown_pin) as unknown_pin, ${answer} as answer`,
  })
  const { before, after, unknown_pin } = row
  if (!before) throw spaceNotFound(spaceId)
  if (before.archived_at !== null) {
    throw new TurnpikeError("SPACE_ARCHIVED", `The space "${spaceId}" is archived and cannot be changed.`)
  }
  if (unknown_pin !== null) throw unknownPinError(unknown_pin, pins)
  return { before, after, answer: row.answer }
}

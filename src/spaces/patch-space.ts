import { sql } from "kysely"
import type { Context } from "../context.ts"
import { TurnpikeError } from "../errors.ts"
import { inScope, queryAs } from "../identity/actor.ts"
import type { Credential } from "../identity/credential.ts"
import { spaceNotFound } from "./get-space.ts"
import type { PatchSpace } from "./schemas.ts"
import type { SpaceRow } from "./serialize-space.ts"
import { unknownPinCte, unknownPinError } from "./wanted-pins.ts"

/**
 * Changes a space's title, model or metadata (as a whole). Only another model makes a new version of its configuration.
 * NOT_FOUND, CONFLICT for an archived space, VALIDATION_FAILED for an unknown pin.
 */
export async function patchSpace(
  ctx: Context,
  credential: Credential,
  spaceId: string,
  { title, model, metadata }: PatchSpace,
): Promise<SpaceRow> {
  const pins = model ? [{ param: "model", pin: model }] : []
  const newModel = model === undefined ? sql`s.model` : sql`${model}::text`
  const newMetadata = metadata === undefined ? sql`s.metadata` : sql`${JSON.stringify(metadata)}::jsonb`
  const newTitle = sql`coalesce(${title ?? null}::text, s.title)`
  type Row = { before: SpaceRow | null; after: SpaceRow | null; unknown_pin: string | null }
  const { row } = await queryAs<Row>(ctx, credential, {
    ctes: sql`target as materialized (
        select s.* from spaces s, caller where s.slug = ${spaceId} and ${inScope}
      ), ${unknownPinCte(pins)}, changed as (
        update spaces s set title = ${newTitle}, model = ${newModel}, metadata = ${newMetadata},
          config_version = s.config_version + case when s.model is distinct from ${newModel} then 1 else 0 end,
          config_change = case when s.model is distinct from ${newModel} then 'model' else s.config_change end,
          updated_at = case when (s.title, s.model, s.metadata) is distinct from (${newTitle}, ${newModel}, ${newMetadata})
            then ${ctx.clock.now()}::timestamptz else s.updated_at end
        from target
        where s.space_id = target.space_id and s.archived_at is null and not exists (select 1 from unknown_pin)
        returning s.*
      )`,
    select: sql`select (select to_jsonb(target) from target) as before, (select to_jsonb(changed) from changed) as after,
      (select pin from unknown_pin) as unknown_pin`,
  })
  if (!row.before) throw spaceNotFound(spaceId)
  if (row.after) return row.after
  if (row.before.archived_at === null && row.unknown_pin !== null) throw unknownPinError(row.unknown_pin, pins)
  throw new TurnpikeError("SPACE_ARCHIVED", `The space "${spaceId}" is archived and cannot be changed.`)
}

import { sql } from "kysely"
import type { Context } from "../context.ts"
import { TurnpikeError } from "../errors.ts"
import { queryAs } from "../identity/actor.ts"
import type { KeyCredential } from "../identity/api-key.ts"
import { newId } from "../platform/ids.ts"
import type { CreateSpace } from "./schemas.ts"
import type { SpaceRow } from "./serialize-space.ts"

/** Creates a space of the key's owner. SCOPE_DENIED for a key that is bound to one space; VALIDATION_FAILED for an unknown pin. */
export async function createSpace(ctx: Context, credential: KeyCredential, input: CreateSpace): Promise<SpaceRow> {
  const now = ctx.clock.now()
  const pins = JSON.stringify([...new Set([input.model, input.manifest?.model].filter((pin) => pin !== undefined))])
  const { actor, row } = await queryAs<{ space: SpaceRow | null; unknown_pin: string | null }>(ctx, credential, {
    ctes: sql`unknown as (
      select pin from jsonb_array_elements_text(${pins}::jsonb) as wanted(pin)
      where not exists (select 1 from model_catalog c where c.pin = wanted.pin and c.enabled) limit 1
    ), made as (
      insert into spaces (slug, user_id, created_by_key_id, test, brand, title, model, manifest, metadata, created_at, updated_at)
      select ${newId("space", now)}, user_id, key_id, test, ${ctx.brand}, ${input.title}, ${input.model ?? null},
        ${JSON.stringify(input.manifest ?? {})}::jsonb, ${JSON.stringify(input.metadata ?? {})}::jsonb,
        ${now}::timestamptz, ${now}::timestamptz
      from caller where scope <> 'space' and not exists (select 1 from unknown)
      returning *
    )`,
    select: sql`select (select to_jsonb(made) from made) as space, (select pin from unknown) as unknown_pin`,
  })
  if (row.space) return row.space
  if (actor.scope === "space") {
    throw new TurnpikeError("SCOPE_DENIED", "This key is bound to one space and cannot create others.")
  }
  const param = row.unknown_pin === input.model ? "model" : "manifest.model"
  throw new TurnpikeError("VALIDATION_FAILED", `There is no enabled model with the pin "${row.unknown_pin}".`, {
    param,
  })
}

import { sql } from "kysely"
import type { Context } from "../context.ts"
import { TurnpikeError } from "../errors.ts"
import { queryAs } from "../identity/actor.ts"
import type { Credential } from "../identity/credential.ts"
import { type Made, type Once, replay } from "../identity/once.ts"
import { newId } from "../platform/ids.ts"
import { checkTarget } from "./check-target.ts"
import { getSpace } from "./get-space.ts"
import { pinsOf } from "./manifest.ts"
import { secretPlace } from "./put-secret.ts"
import type { CreateSpace } from "./schemas.ts"
import type { SpaceRow } from "./serialize-space.ts"
import { unknownPinCte, unknownPinError, type WantedPin } from "./wanted-pins.ts"

/** Creates a space of the key's owner, whole. SCOPE_DENIED for a key that is bound to one space; VALIDATION_FAILED for an unknown pin. */
export async function createSpace(
  ctx: Context,
  credential: Credential,
  input: CreateSpace,
  once?: Once,
): Promise<Made<SpaceRow>> {
  const now = ctx.clock.now()
  const slug = newId("space", now)
  for (const [index, tool] of (input.tools ?? []).entries())
    checkTarget(ctx, tool.request.url, `tools.${index}.request.url`)
  for (const [index, server] of (input.mcp_servers ?? []).entries())
    checkTarget(ctx, server.url, `mcp_servers.${index}.url`)
  const pins = wantedPins(input)
  const { actor, row, replayOf } = await queryAs<{ space: SpaceRow | null; unknown_pin: string | null }>(
    ctx,
    credential,
    {
      once,
      made: sql`select slug from made`,
      ctes: sql`${unknownPinCte(pins)}, made as (
      insert into spaces (slug, user_id, created_by_key_id, test, brand, title, model, manifest, tools, mcp_servers,
        metadata, created_at, updated_at)
      select ${slug}, user_id, key_id, test, ${ctx.brand}, ${input.title}, ${input.model ?? null},
        ${JSON.stringify(input.manifest ?? {})}::jsonb, ${byName(input.tools)}::jsonb, ${byName(input.mcp_servers)}::jsonb,
        ${JSON.stringify(input.metadata ?? {})}::jsonb, ${now}::timestamptz, ${now}::timestamptz
      from caller where scope <> 'space' and not exists (select 1 from unknown_pin)
      returning *
    ), kept_secrets as (
      insert into space_secrets (space_id, name, sealed, created_at, updated_at)
      select made.space_id, key, value, made.created_at, made.created_at
      from made, jsonb_each_text(${await sealAll(ctx, slug, input.secrets)}::jsonb)
    )`,
      select: sql`select (select to_jsonb(made) from made) as space, (select pin from unknown_pin) as unknown_pin`,
    },
  )
  if (replayOf !== null) return replay(getSpace(ctx, credential, replayOf))
  if (row.space) return { made: row.space, replayed: false }
  if (actor.scope === "space") {
    throw new TurnpikeError("SCOPE_DENIED", "This key is bound to one space and cannot create others.")
  }
  throw unknownPinError(row.unknown_pin ?? "", pins)
}

function wantedPins({ model, manifest }: CreateSpace): WantedPin[] {
  const inManifest = pinsOf(manifest).map(({ param, pin }) => ({ param: `manifest.${param}`, pin }))
  return model === undefined ? inManifest : [{ param: "model", pin: model }, ...inManifest]
}

function byName(things: { name: string }[] = []): string {
  return JSON.stringify(Object.fromEntries(things.map((thing) => [thing.name, thing])))
}

async function sealAll(ctx: Context, slug: string, secrets: Record<string, string> = {}): Promise<string> {
  const sealed = Object.entries(secrets).map(async ([name, value]) => [
    name,
    await ctx.keyRing.seal(value, secretPlace(slug, name)),
  ])
  return JSON.stringify(Object.fromEntries(await Promise.all(sealed)))
}

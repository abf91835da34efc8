import type { Credential } from "../actor/actor.ts"
import { callOnce } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { type Made, type Once, replay } from "../actor/once.ts"
import { imagePinOf, pinsOf } from "../agent-config/manifest.ts"
import { secretTarget } from "../agent-config/secret.ts"
import { countReached } from "../base/counted.ts"
import { TurnpikeError } from "../base/errors.ts"
import { newId } from "../base/ids.ts"
import { checkTarget, unknownPinError, type WantedPin } from "./change-config.ts"
import { getSpace } from "./get-space.ts"
import type { CreateSpace } from "./schemas.ts"
import type { SpaceRow } from "./serialize-space.ts"

export const CREATE_SPACE_ERRORS = ["SCOPE_DENIED", "LIMIT_REACHED", "IDEMPOTENCY_KEY_REUSED"] as const

/**
 * Creates a space. Throws SCOPE_DENIED for a key bound to one space, VALIDATION_FAILED for an unknown pin,
 * LIMIT_REACHED.
 */
export async function createSpace(
  ctx: Context,
  credential: Credential,
  input: CreateSpace,
  once?: Once,
): Promise<Made<SpaceRow>> {
  const now = ctx.clock.now()
  const slug = newId("space", now)
  for (const [index, tool] of (input.tools ?? []).entries())
    if (tool.request) checkTarget(ctx, tool.request.url, `tools.${index}.request.url`)
  for (const [index, server] of (input.mcp_servers ?? []).entries())
    checkTarget(ctx, server.url, `mcp_servers.${index}.url`)
  const pins = wantedPins(input)
  const { row, replayOf } = await callOnce(ctx, credential, "create_space", {
    once,
    args: {
      slug,
      title: input.title,
      model: input.model ?? null,
      manifest: input.manifest ?? {},
      tools: byName(input.tools),
      mcp_servers: byName(input.mcp_servers),
      secrets: await sealAll(ctx, slug, input.secrets),
      metadata: input.metadata ?? {},
      pins: [...new Set(pins.map(({ pin }) => pin))],
    },
  })
  if (replayOf !== null) return replay(getSpace(ctx, credential, replayOf))
  if (row.refused === "scope") {
    throw new TurnpikeError("SCOPE_DENIED", "This key's scope is one space, so it cannot create others.")
  }
  if (row.reached) throw countReached(row.reached)
  if (row.refused !== null) {
    const ofPictures = imagePinOf(input.manifest).map(({ param, pin }) => ({ param: `manifest.${param}`, pin }))
    throw unknownPinError(row.unknown_pin ?? "", [...pins, ...ofPictures])
  }
  return { made: row.space as SpaceRow, replayed: false }
}

function wantedPins({ model, manifest }: CreateSpace): WantedPin[] {
  const inManifest = pinsOf(manifest).map(({ param, pin }) => ({ param: `manifest.${param}`, pin }))
  return model === undefined ? inManifest : [{ param: "model", pin: model }, ...inManifest]
}

const byName = (things: { name: string }[] = []) => Object.fromEntries(things.map((thing) => [thing.name, thing]))

async function sealAll(ctx: Context, slug: string, secrets: Record<string, string> = {}): Promise<object> {
  const sealed = Object.entries(secrets).map(async ([name, value]) => [
    name,
    await ctx.keyRing.seal(value, secretTarget(slug, name)),
  ])
  return Object.fromEntries(await Promise.all(sealed))
}

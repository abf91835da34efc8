import type { Credential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { imagePinOf, type Manifest, pinsOf } from "../agent-config/manifest.ts"
import { throwRefusedChange } from "./change-config.ts"
import type { PatchSpace } from "./schemas.ts"
import type { SpaceRow } from "./serialize-space.ts"

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
  const { row } = await callAs(ctx, credential, "patch_space", {
    slug: spaceId,
    title: title ?? null,
    metadata: metadata ?? null,
    has_model: model !== undefined,
    model: model ?? null,
  })
  throwRefusedChange(spaceId, row, model ? [{ param: "model", pin: model }] : [])
  return row.space as SpaceRow
}

/** Replaces the manifest. The same one again makes no new version. NOT_FOUND, CONFLICT, VALIDATION_FAILED. */
export async function putManifest(
  ctx: Context,
  credential: Credential,
  spaceId: string,
  manifest: Manifest,
): Promise<Manifest> {
  const pins = pinsOf(manifest)
  const { row } = await callAs(ctx, credential, "put_manifest", {
    slug: spaceId,
    manifest,
    pins: pins.map(({ pin }) => pin),
  })
  throwRefusedChange(spaceId, row, [...pins, ...imagePinOf(manifest)])
  return manifest
}

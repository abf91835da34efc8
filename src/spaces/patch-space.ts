import type { Credential } from "../actor/actor.ts"
import { callFreeing } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { imagePinOf, type Manifest, pinsOf } from "../agent-config/manifest.ts"
import { throwRefusedChange } from "./change-config.ts"
import type { PatchSpace } from "./schemas.ts"
import type { SpaceRow } from "./serialize-space.ts"

export const PATCH_SPACE_ERRORS = ["NOT_FOUND", "SPACE_ARCHIVED", "SPACE_ROLE_REQUIRED"] as const

/**
 * Changes a space's title, model or metadata. Metadata is replaced as a whole. Throws NOT_FOUND, SPACE_ROLE_REQUIRED,
 * SPACE_ARCHIVED, and VALIDATION_FAILED for an unknown pin.
 */
export async function patchSpace(
  ctx: Context,
  credential: Credential,
  spaceId: string,
  { title, model, metadata }: PatchSpace,
): Promise<SpaceRow> {
  const { row } = await callFreeing(ctx, credential, "patch_space", {
    slug: spaceId,
    title: title ?? null,
    metadata: metadata ?? null,
    has_model: model !== undefined,
    model: model ?? null,
  })
  throwRefusedChange(spaceId, row, model ? [{ param: "model", pin: model }] : [])
  return row.space as SpaceRow
}

export const PUT_MANIFEST_ERRORS = ["NOT_FOUND", "SPACE_ARCHIVED", "LIMIT_REACHED", "SPACE_ROLE_REQUIRED"] as const

/**
 * Replaces the manifest. An equal manifest creates no new version. Throws NOT_FOUND, SPACE_ROLE_REQUIRED,
 * SPACE_ARCHIVED, VALIDATION_FAILED, LIMIT_REACHED.
 */
export async function putManifest(
  ctx: Context,
  credential: Credential,
  spaceId: string,
  manifest: Manifest,
): Promise<Manifest> {
  const pins = pinsOf(manifest)
  const { row } = await callFreeing(ctx, credential, "put_manifest", {
    slug: spaceId,
    manifest,
    pins: pins.map(({ pin }) => pin),
  })
  throwRefusedChange(spaceId, row, [...pins, ...imagePinOf(manifest)])
  return manifest
}

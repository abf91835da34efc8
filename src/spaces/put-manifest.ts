import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import type { Credential } from "../actor/credential.ts"
import { type Manifest, pinsOf } from "../agent-config/manifest.ts"
import { throwRefusedChange } from "./change-config.ts"

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
  throwRefusedChange(spaceId, row, pins)
  return manifest
}

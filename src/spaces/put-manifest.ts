import { sql } from "kysely"
import type { Context } from "../context.ts"
import type { Credential } from "../identity/credential.ts"
import { changeConfig } from "./change-config.ts"
import { type Manifest, pinsOf } from "./manifest.ts"

/** Replaces the manifest. The same one again makes no new version. NOT_FOUND, CONFLICT, VALIDATION_FAILED. */
export async function putManifest(
  ctx: Context,
  credential: Credential,
  spaceId: string,
  manifest: Manifest,
): Promise<Manifest> {
  const json = JSON.stringify(manifest)
  await changeConfig(ctx, credential, spaceId, {
    what: "manifest",
    set: sql`manifest = ${json}::jsonb`,
    onlyIf: sql`s.manifest <> ${json}::jsonb`,
    pins: pinsOf(manifest),
  })
  return manifest
}

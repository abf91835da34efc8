import { toInstant } from "../time.ts"
import type { Manifest } from "./manifest.ts"
import type { Space } from "./schemas.ts"

/** A row of `spaces`, as to_jsonb gives it. */
export interface SpaceRow {
  space_id: number
  slug: string
  user_id: number
  title: string
  model: string | null
  manifest: Manifest
  metadata: Record<string, string>
  config_version: number
  test: boolean
  archived_at: string | null
  created_at: string
  updated_at: string
}

export function serializeSpace(row: SpaceRow): Space {
  return {
    space_id: row.slug,
    title: row.title,
    model: row.model,
    manifest: row.manifest,
    metadata: row.metadata,
    config_version: row.config_version,
    archived: row.archived_at !== null,
    test: row.test,
    created_at: toInstant(row.created_at),
    updated_at: toInstant(row.updated_at),
  }
}

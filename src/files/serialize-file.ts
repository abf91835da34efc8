import * as z from "zod"
import { toInstant } from "../base/time.ts"
import type { JsonRow } from "../platform/json-row.ts"

export const fileSchema = z
  .object({
    file_id: z.string().meta({ example: "file_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
    space: z.string().meta({ description: "The id of the file's space." }),
    turn: z.string().nullable().meta({ description: "The turn whose agent created the file; null for an upload." }),
    name: z.string().meta({ example: "invoice.pdf" }),
    media_type: z.string(),
    bytes: z.int().meta({ description: "The size in bytes." }),
    sha256: z.string().meta({ description: "The SHA-256 of the bytes, in lower-case hex." }),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "File" })

export const deletedFileSchema = fileSchema.extend({ deleted: z.literal(true) }).meta({ id: "DeletedFile" })

/** A row of `files`, as to_jsonb returns it, with the slug of its space. */
export interface FileRow extends JsonRow<"files"> {
  space: string
}

export function serializeFile(row: FileRow): z.infer<typeof fileSchema> {
  return {
    file_id: row.file_id,
    space: row.space,
    turn: row.turn_id,
    name: row.name,
    media_type: row.media_type,
    bytes: row.bytes,
    sha256: row.sha256,
    created_at: toInstant(row.created_at),
  }
}

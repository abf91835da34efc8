import type { Context } from "../actor/context.ts"
import { fileNotFound } from "./get-file.ts"
import type { FileRow } from "./serialize-file.ts"

/** Bytes from `offset` on, `length` of them. */
export interface ByteRange {
  offset: number
  length: number
}

/** A file's bytes as they come from the bucket, or a range of them. NOT_FOUND when it was deleted a moment ago. */
export async function readContent(
  ctx: Context,
  file: FileRow,
  range: ByteRange | null,
): Promise<ReadableStream | null> {
  // R2 has no ranges of an empty object, and there is nothing to fetch.
  if (file.bytes === 0) return null
  const object = await ctx.files.get(file.object_key, range ? { range } : {})
  if (!object) throw fileNotFound(file.file_id)
  return object.body
}

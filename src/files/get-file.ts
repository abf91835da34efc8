import type { Credential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { spaceVisible } from "../actor/shares.ts"
import { TurnpikeError } from "../base/errors.ts"
import type { FileRow } from "./serialize-file.ts"

/** A file in a space that the caller can access. Throws NOT_FOUND. */
export async function getFile(ctx: Context, credential: Credential, fileId: string): Promise<FileRow> {
  const { rows } = await readAs(ctx, credential, (db) =>
    db
      .selectFrom("files as f")
      .innerJoin("spaces as s", "s.space_id", "f.space_id")
      .innerJoin("caller", (join) => join.onTrue())
      .where("f.file_id", "=", fileId)
      .where("f.state", "=", "ready")
      .where(spaceVisible(credential))
      .selectAll("f")
      .select("s.slug as space"),
  )
  if (!rows[0]) throw fileNotFound(fileId)
  return rows[0]
}

export function fileNotFound(fileId: string): TurnpikeError {
  return new TurnpikeError("NOT_FOUND", `There is no file "${fileId}" that you can see.`)
}

/** `length` bytes, starting at `offset`. */
export interface ByteRange {
  offset: number
  length: number
}

/** The bytes of a file, or a range of them, as a stream from the bucket. Throws NOT_FOUND if it was just deleted. */
export async function readContent(
  ctx: Context,
  file: FileRow,
  range: ByteRange | null,
): Promise<ReadableStream | null> {
  // R2 rejects a range of an empty object, and there is nothing to read.
  if (file.bytes === 0) return null
  const object = await ctx.files.get(file.object_key, range ? { range } : {})
  if (!object) throw fileNotFound(file.file_id)
  return object.body
}

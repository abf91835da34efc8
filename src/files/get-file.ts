import { sql } from "kysely"
import type { Context } from "../context.ts"
import { TurnpikeError } from "../errors.ts"
import { inScope, queryAs } from "../identity/actor.ts"
import type { Credential } from "../identity/credential.ts"
import { type FileRow, fileJson } from "./serialize-file.ts"

/** A file in the key's scope, or NOT_FOUND. One statement. */
export async function getFile(ctx: Context, credential: Credential, fileId: string): Promise<FileRow> {
  const { row } = await queryAs<{ file: FileRow | null }>(ctx, credential, {
    select: sql`select ${fileJson} as file from files f join spaces s on s.space_id = f.space_id, caller
      where f.file_id = ${fileId} and f.state = 'ready' and ${inScope}`,
  })
  if (!row.file) throw fileNotFound(fileId)
  return row.file
}

export function fileNotFound(fileId: string): TurnpikeError {
  return new TurnpikeError("NOT_FOUND", `There is no file "${fileId}" that you can see.`)
}

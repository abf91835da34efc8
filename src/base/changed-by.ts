import * as z from "zod"

/** The user who last changed a row. `description` says what null means. */
export const changedBySchema = (description: string) =>
  z
    .object({ user_id: z.int().meta({ example: 7 }), name: z.string().nullable().meta({ example: "Ada" }) })
    .nullable()
    .meta({ description })

/** The columns of an editable row, with the name of the user who last changed it. */
export interface ChangedRow {
  version: number
  created_at: string
  updated_at: string
  updated_by: number | null
  updated_by_name: string | null
}

export function serializeChangedBy(
  row: Pick<ChangedRow, "updated_by" | "updated_by_name"> | null | undefined,
): { user_id: number; name: string | null } | null {
  return row?.updated_by == null ? null : { user_id: row.updated_by, name: row.updated_by_name }
}

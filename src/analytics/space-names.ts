import * as z from "zod"

/** The fields of the space that a row of a report belongs to. */
export const spaceFields = {
  space_id: z.int().meta({ description: "The number of the space.", example: 318 }),
  slug: z.string().meta({ example: "spc_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
  chat_key: z.string().nullable().meta({ example: "space:spc_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
  title: z.string().meta({ example: "Support" }),
  owner_id: z.int().meta({ description: "The account that is billed.", example: 42 }),
}

/** The columns of `s` for these fields. */
export const SPACE_COLUMNS = ["s.space_id", "s.slug", "s.chat_key", "s.title", "s.user_id as owner_id"] as const

import * as z from "zod"

/** Which space a row of a report is of. */
export const spaceFields = {
  space_id: z.int().meta({ description: "Its number.", example: 318 }),
  slug: z.string().meta({ example: "spc_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
  chat_key: z.string().nullable().meta({ example: "space:spc_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
  title: z.string().meta({ example: "Support" }),
  owner_id: z.int().meta({ description: "The account that is billed.", example: 42 }),
}

/** The same columns of `s`. */
export const SPACE_COLUMNS = ["s.space_id", "s.slug", "s.chat_key", "s.title", "s.user_id as owner_id"] as const

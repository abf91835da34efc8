import * as z from "zod"

/** A path's or a query's id: any short text; what does not exist is NOT_FOUND, not a wrong form. */
export const idParam = z.string().min(1).max(128)

export const pageQuery = {
  limit: z.coerce.number().int().min(1).max(100).default(20),
  cursor: z.string().min(1).max(256).optional(),
}

export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({ data: z.array(item), has_more: z.boolean(), next_cursor: z.string().nullable() })
}

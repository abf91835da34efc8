import * as z from "zod"

/** The customer's own notes on a resource: at most 16 pairs, keys of 64 and values of 512 characters. */
export const metadataSchema = z
  .record(z.string().min(1).max(64), z.string().max(512))
  .refine((pairs) => Object.keys(pairs).length <= 16, "must have at most 16 pairs")
  .meta({ description: "Your own notes: at most 16 pairs, keys of 64 and values of 512 characters." })

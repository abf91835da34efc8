import * as z from "zod"

const MOST_PAIRS = 16

/** The customer's own notes on a resource, as pairs of texts. */
export const metadataSchema = z
  .record(z.string().min(1).max(64), z.string().max(512))
  .refine((pairs) => Object.keys(pairs).length <= MOST_PAIRS, `must have at most ${MOST_PAIRS} pairs`)
  .meta({
    maxProperties: MOST_PAIRS,
    description: `Your own notes: at most ${MOST_PAIRS} pairs, keys of 64 and values of 512 characters.`,
  })

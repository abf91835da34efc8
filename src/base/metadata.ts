import * as z from "zod"

const MOST = { pairs: 16, key: 64, value: 512 }

export const METADATA_BOUNDS = `at most ${MOST.pairs} pairs, keys of ${MOST.key} and values of ${MOST.value} characters`

/** A name of a pair. Bodies with this other name are refused, so no turn has it. */
export const metadataKey = z
  .string()
  .min(1)
  .max(MOST.key)
  .refine((key) => key !== "__proto__", "must not be __proto__")

/** An owner's own key-value pairs on a resource. */
export const metadataSchema = z
  .record(metadataKey, z.string().max(MOST.value))
  .refine((pairs) => Object.keys(pairs).length <= MOST.pairs, `must have at most ${MOST.pairs} pairs`)
  .meta({ maxProperties: MOST.pairs, description: `Your own key-value pairs: ${METADATA_BOUNDS}.` })

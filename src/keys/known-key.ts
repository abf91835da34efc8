import * as z from "zod"
import type { Answers } from "../platform/procedures.ts"
import { keySchema, serializeKey } from "./key-row.ts"

const KNOWN_VALUES = ["current", "former"] as const

/** A key whose value is known to a person who has left, or has fewer rights than the key. */
export const knownKeySchema = keySchema
  .extend({
    known_value: z.enum(KNOWN_VALUES).meta({
      description:
        "`current`: the person knows the key's value. `former`: only old values, which work until their overlap ends.",
    }),
  })
  .meta({ id: "KnownKey" })

export const serializeKnownKey = ({ key, value }: Answers["known_key"]): z.infer<typeof knownKeySchema> => ({
  ...serializeKey(key),
  known_value: value as (typeof KNOWN_VALUES)[number],
})

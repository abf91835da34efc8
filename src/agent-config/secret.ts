import * as z from "zod"
import type { SealTarget } from "../base/key-ring.ts"

const LENGTHS = { min: 4, max: 8192 }

/** Shorter secrets are not allowed, because masking them would also mask ordinary words. */
export const secretValue = z
  .string()
  .min(LENGTHS.min)
  .max(LENGTHS.max)
  .meta({
    description: `${LENGTHS.min}–${LENGTHS.max} characters. The value is never shown again. It is sent only to the origin of a tool that uses it.`,
  })

export const putSecretSchema = z.strictObject({ value: secretValue }).meta({ id: "PutSecret" })

export const secretSchema = z
  .object({
    name: z.string().meta({ example: "ORDERS_TOKEN" }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: "Secret", description: "The name and dates of a secret. Its value is never shown." })

/** A secret is encrypted for one space and one name, so it cannot be moved to another row. */
export const secretTarget = (spaceSlug: string, name: string): SealTarget => ({
  table: "space_secrets",
  column: "sealed",
  row: name,
  owner: spaceSlug,
})

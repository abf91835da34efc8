import * as z from "zod"
import type { SealTarget } from "../base/key-ring.ts"

const LENGTHS = { min: 4, max: 8192 }

/** Shorter secrets could not be masked without blackening ordinary words. */
export const secretValue = z
  .string()
  .min(LENGTHS.min)
  .max(LENGTHS.max)
  .meta({
    description: `${LENGTHS.min}–${LENGTHS.max} characters. It is never shown again, and is sent only to the origin of a tool that names it.`,
  })

export const putSecretSchema = z.strictObject({ value: secretValue }).meta({ id: "PutSecret" })

export const secretSchema = z
  .object({
    name: z.string().meta({ example: "ORDERS_TOKEN" }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: "Secret", description: "A secret's name and dates; its value is never shown." })

/** A secret is sealed for one space and one name. */
export const secretTarget = (spaceSlug: string, name: string): SealTarget => ({
  table: "space_secrets",
  column: "sealed",
  row: name,
  owner: spaceSlug,
})

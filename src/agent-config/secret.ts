import * as z from "zod"

/** Shorter ones could not be masked without blackening ordinary words. */
export const secretValue = z.string().min(4).max(8192).meta({
  description: "4–8192 characters. It never comes out again, only goes to the origin of a tool that names it.",
})

export const putSecretSchema = z.strictObject({ value: secretValue }).meta({ id: "PutSecret" })

export const secretSchema = z
  .object({
    name: z.string().meta({ example: "ORDERS_TOKEN" }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: "Secret", description: "A secret's name and dates; its value is never shown." })

import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { callAs, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { isPlain, PLAIN_FAULT } from "../base/plain-text.ts"
import { toInstant } from "../base/time.ts"
import { BILLING_DETAILS_POLICY } from "./policies.ts"

const line = z.string().trim().refine(isPlain, PLAIN_FAULT)

/** The lines of an address, without spaces at their ends and without empty lines. */
const address = z
  .string()
  .transform((text) =>
    text
      .split(/\r?\n/)
      .map((part) => part.trim())
      .filter((part) => part !== "")
      .join("\n"),
  )
  .refine((text) => text.length <= BILLING_DETAILS_POLICY.address, {
    message: `must have at most ${BILLING_DETAILS_POLICY.address} characters`,
  })
  .refine((text) => text.split("\n").length <= BILLING_DETAILS_POLICY.lines, {
    message: `must have at most ${BILLING_DETAILS_POLICY.lines} lines`,
  })
  .refine((text) => text.split("\n").every(isPlain), PLAIN_FAULT)

const WORDS = {
  company: { description: "The name of the company or person that statements are for.", example: "Example GmbH" },
  address: {
    description: "The postal address, in lines.",
    example: "Friedrichstraße 1\n10117 Berlin\nGermany",
  },
  tax_number: { description: "The tax number, such as a VAT identification number.", example: "DE123456789" },
}

export const putBillingDetailsSchema = z
  .strictObject({
    company: line.pipe(z.string().max(BILLING_DETAILS_POLICY.company)).default("").meta(WORDS.company),
    address: address.default("").meta(WORDS.address),
    tax_number: line.pipe(z.string().max(BILLING_DETAILS_POLICY.taxNumber)).default("").meta(WORDS.tax_number),
  })
  .meta({ id: "PutBillingDetails", description: "Replaces all details. A field that is left out becomes empty." })

export const billingDetailsSchema = z
  .object({
    company: z.string().meta(WORDS.company),
    address: z.string().meta(WORDS.address),
    tax_number: z.string().meta(WORDS.tax_number),
    updated_at: z.iso.datetime().nullable().meta({ description: "Null: the details were never set." }),
  })
  .meta({ id: "BillingDetails" })

type BillingDetails = z.infer<typeof billingDetailsSchema>

/** The details that the documents of the account's statements show. Details that were never set are empty. */
export async function getBillingDetails(ctx: Context, credential: SessionCredential): Promise<BillingDetails> {
  const { rows } = await readAs(ctx, credential, (db) =>
    db
      .selectFrom("caller")
      .innerJoin("billing_details as b", "b.user_id", "caller.user_id")
      .select(["b.company", "b.address", "b.tax_number", "b.updated_at"]),
  )
  const { company = "", address = "", tax_number = "", updated_at = null } = rows[0] ?? {}
  return { company, address, tax_number, updated_at: toInstant(updated_at) }
}

/** Replaces all details. */
export async function putBillingDetails(
  ctx: Context,
  credential: SessionCredential,
  details: z.infer<typeof putBillingDetailsSchema>,
): Promise<BillingDetails> {
  const { row } = await callAs(ctx, credential, "put_billing_details", details)
  return { ...details, updated_at: row.updated_at?.toISOString() ?? null }
}

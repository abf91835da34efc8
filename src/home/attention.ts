import * as z from "zod"
import { ATTENTION_POLICY } from "./policies.ts"

/** Everything that can need an owner, the most urgent first. */
export const ATTENTION_KINDS = [
  "no_credit",
  "turns_fail",
  "cap_reached",
  "turns_wait",
  "webhook_disabled",
  "webhook_fails",
  "server_fails",
  "balance_low",
  "budget_passed",
  "spend_unusual",
  "cap_near",
  "sign_in_locked",
  "key_expires",
  "refund_declined",
] as const

const itemSchema = z
  .object({
    kind: z.enum(ATTENTION_KINDS),
    id: z.string().nullable().meta({
      description:
        "The object to open: a webhook, key, space, turn or anomaly, or the `end_user_ref` or `key_id` of a cap.",
      example: "whk_01jd3k9m2x4t8r5w6y7z0a1b2c",
    }),
    title: z.string().nullable().meta({
      description: "Its URL or name, the name of the cap, or the end user, key or space whose spend is unusual.",
      example: "https://example.com/webhooks/turnpike",
    }),
    subject: z.string().nullable().meta({
      description: "`spend_unusual`: the `end_user_ref`, `key_id` or `space`.",
      example: null,
    }),
    count: z.int().nullable().meta({ description: "How many turns it concerns.", example: null }),
    of: z.int().nullable().meta({ description: "`turns_fail`: of how many that ended.", example: null }),
    used_usd: z.number().nullable().meta({
      description: "The available balance, the spent and reserved amounts of the cap, or the amount that was spent.",
      example: 4.2,
    }),
    limit_usd: z
      .number()
      .nullable()
      .meta({ description: "The low balance, the limit of the cap, the budget, or the usual spend." }),
    since: z.iso.datetime().nullable().meta({ description: "Since when it needs the owner." }),
    until: z.iso
      .datetime()
      .nullable()
      .meta({ description: "When the cap resets or the key expires, or the end of the days with unusual spend." }),
    text: z
      .string()
      .nullable()
      .meta({ description: "The error, the operator's answer, the address, or the kind of anomaly." }),
  })
  .meta({ id: "AttentionItem" })

export type AttentionItem = z.infer<typeof itemSchema>

const FINE_SOURCES = ["turn_failed", "cap_reached", "account_created"] as const

export const attentionSchema = z
  .object({
    as_of: z.iso.datetime(),
    items: z.array(itemSchema).meta({
      description: `All that needs the owner now, the most urgent first, at most ${ATTENTION_POLICY.each} of each kind.`,
    }),
    fine_since: z
      .object({
        at: z.iso.datetime(),
        source: z.enum(FINE_SOURCES).meta({
          description:
            "The event of that time: a turn failed, a cap was reached or its period ended, or the account was created.",
        }),
      })
      .nullable()
      .meta({ description: "Since when all is fine. Null: something needs the owner." }),
  })
  .meta({ id: "Attention" })

export type Attention = z.infer<typeof attentionSchema>

const NOTHING = {
  id: null,
  title: null,
  count: null,
  of: null,
  used_usd: null,
  limit_usd: null,
  since: null,
  until: null,
  subject: null,
  text: null,
}

export const itemOf = (kind: AttentionItem["kind"], facts: Partial<AttentionItem>): AttentionItem => ({
  ...NOTHING,
  ...facts,
  kind,
})

import * as z from "zod"

const ULID = "01jd3k9m2x4t8r5w6y7z0a1b2c"
const text = z.string()

/** A row of the ledger, as the usage export sends it (src/billing/export-ledger.ts). */
export const USAGE_POSTED = {
  label: "A charge or a refund was posted to the ledger",
  when: "A charge, or the refund of a turn, is in the ledger. It is sent only while the [usage export](/docs/metering) runs.",
  data: {
    ledger_id: z.int().meta({ description: "The row's id, which is never used again." }),
    hour: text.meta({ description: "The hour (UTC) into which the row counts." }),
    kind: z.enum(["usage", "space_usage", "refund"]),
    amount_usd: text.meta({ description: "A decimal in USD. Negative for a refund." }),
    turn_id: text.nullable(),
    end_user_ref: text.nullable(),
    end_user_charge_usd: text.nullable().meta({
      description:
        "what your end user is charged for the turn, a decimal; null for a refund, or without a price and a wallet",
    }),
    price: z.object({ name: text, version: z.int() }).nullable().meta({ description: "your price of the turn" }),
    space: text.nullable(),
    key_id: text.nullable(),
    booked_at: text,
  },
  example: {
    ledger_id: 812,
    hour: "2026-01-05T09:00:00.000Z",
    kind: "usage" as const,
    amount_usd: "0.0000460",
    turn_id: `turn_${ULID}`,
    end_user_ref: "customer-42",
    end_user_charge_usd: "0.0123000",
    price: { name: "standard", version: 3 },
    space: `spc_${ULID}`,
    key_id: `key_${ULID}`,
    booked_at: "2026-01-05T09:12:44.120Z",
  },
}

/** The proof of an hour of the usage export. */
export const HOUR_CLOSED = {
  label: "An hour of the usage export is complete",
  when: "No row comes into the hour any more. It is sent for each hour with rows, while the [usage export](/docs/metering) runs.",
  data: {
    from: text,
    to: text,
    rows: z.int(),
    sum: text.meta({ description: "The sum of `amount_usd`, a decimal." }),
    digest: text.meta({ description: "SHA-256 over the rows, in hex." }),
    empty_since: text.meta({ description: "There are no rows from then until `from`." }),
  },
  example: {
    from: "2026-01-05T09:00:00.000Z",
    to: "2026-01-05T10:00:00.000Z",
    rows: 1,
    sum: "0.0000460",
    digest: "a7b1c0f2d4e6a8b0c2d4e6f8a0b2c4d6e8f0a1b3c5d7e9f1a3b5c7d9e1f3a5b7",
    empty_since: "2026-01-05T09:00:00.000Z",
  },
}

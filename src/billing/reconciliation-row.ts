import * as z from "zod"
import { toUsd } from "../base/money.ts"
import { toInstant } from "../base/time.ts"
import type { JsonRow } from "../platform/json-row.ts"

/** The phases of a pass, in their order. */
export type Phase = "accounts" | "ledger" | "turns" | "counters" | "end_users" | "rollups"

/** The kinds of findings and their meaning. `Repaired` says what the reconciliation changes automatically. */
export const FINDING_KINDS = {
  balance: "The account's balance differs from the last running total of its ledger.",
  held: "The account's held credit differs from the holds of its open turns. Repaired: it is set to their sum.",
  running_total:
    "A ledger entry's running total is not the previous total plus its amount. A previous entry is missing, or this one was changed.",
  charge_without_turn: "A charge in the ledger has no turn and is not for containers and storage.",
  infra_bill: "A charge for containers and storage differs from its bill.",
  infra_due: "The amount due for containers and storage differs from the uncharged part of the account's bills.",
  subscriptions:
    "The account has several active subscriptions that were not given `alongside`. It gets the credit of each plan. End all but one.",
  charged_twice: "A turn was charged more than once.",
  charge_missing: "A turn that was billed has no charge in the ledger.",
  charge_amount: "A turn's charge differs from its bill.",
  charge_unexpected: "A turn was charged although it has not ended, was billed nothing or is a test turn.",
  charge_of_other_account: "A turn was charged to another account.",
  charge_of_other_kind: "The charge of a key's turn is booked as a web-chat charge, or the reverse.",
  failure_charged: "A turn was charged although it failed because of the service. Repaired: it is refunded.",
  usage_bills: "The bills of a turn's model calls do not add up to the turn's bill.",
  chat_calls:
    "The model calls of a web-chat turn do not add up to its record, in number, cost or bill. `expected_usd` and `found_usd` are the costs.",
  refunded_twice: "A turn was refunded more than once.",
  refund_amount: "A turn's refund differs from its charge.",
  refund_untold: "The refund on a turn, which reports read, differs from its refund in the ledger.",
  refund_of_other_account: "A turn was refunded to another account.",
  hold_on_ended_turn: "A turn that has ended still has a hold.",
  hold_differs: "An open turn's hold differs from the amount that it will release.",
  orphaned_turn: "No worker would ever claim this open turn. Repaired: the sweep wakes it.",
  unposted: "The unposted charges in the account's shards differ from the queue of postings.",
  counter_spent: "A cap's counter differs from the bills of its turns. Repaired: it is set to their sum.",
  counter_reserved: "A cap's counter differs from the holds of its open turns. Repaired: it is set to their sum.",
  counter_missing: "Turns of a current period have no counter. Repaired: it is created.",
  end_user_balance: "The balance of an end user's wallet differs from the last running total of its ledger.",
  end_user_held: "The held credit of an end user's wallet differs from the holds of the end user's open turns.",
  end_user_ledger: "The entries of an end user's ledger do not add up to its last running total.",
  end_user_charges:
    "The charges in an end user's ledger, less refunds, differ from the charges of the end user's turns that were not refunded.",
  rollup: "A number in a rollup of a past day differs from the raw records.",
} as const

export type FindingKind = keyof typeof FINDING_KINDS

/** A row of reconciliation_findings, read as JSON. */
export interface FindingRow extends Omit<JsonRow<"reconciliation_findings">, "kind" | "counter"> {
  kind: FindingKind
  counter: Counter | null
}

export interface Counter {
  kind: "key" | "end_user" | "account" | "wallet" | "rollup"
  subject: string
  period: "day" | "month" | "window" | "hour"
  starts_at: string
}

/** A row of reconciliations, with its first findings. */
export interface ReconciliationRow extends Omit<JsonRow<"reconciliations">, "phase" | "scope" | "sizes"> {
  phase: Phase
  scope: "all" | "recent"
  sizes: Partial<Record<Phase, number>>
  shown: FindingRow[]
}

const kinds = Object.entries(FINDING_KINDS).map(([kind, meaning]) => `- \`${kind}\`: ${meaning}`)

const findingSchema = z
  .object({
    kind: z.enum(Object.keys(FINDING_KINDS) as [FindingKind, ...FindingKind[]]).meta({
      description: `What is wrong:\n\n${kinds.join("\n")}`,
      example: "charge_amount",
    }),
    user_id: z.int().nullable().meta({ description: "The account." }),
    turn_id: z.string().nullable(),
    ledger_id: z.int().nullable().meta({ description: "The wrong entry, or the first entry after a missing one." }),
    counter: z
      .object({
        kind: z.enum(["key", "end_user", "account", "members", "wallet", "rollup"]),
        subject: z.string().meta({
          description:
            "A `key_id` or an `end_user_ref`, empty for an account. For `members` the number of the space. For a `wallet` its `end_user_ref`. For a rollup its table, key and column.",
          example: "customer-42",
        }),
        period: z.enum(["day", "month", "window", "hour"]),
        starts_at: z.iso.datetime(),
      })
      .nullable()
      .meta({
        description: "The wrong counter of a cap, or the wrong rollup. Null for other findings.",
        example: null,
      }),
    expected_usd: z
      .number()
      .nullable()
      .meta({ description: "The expected amount; null if the finding compares no amounts.", example: 0.0041 }),
    found_usd: z.number().nullable().meta({ description: "The amount that was found.", example: 0.0082 }),
    repaired: z.boolean().meta({ description: "True if the reconciliation repaired it.", example: false }),
    found_at: z.iso.datetime(),
  })
  .meta({ id: "ReconciliationFinding" })

export const reconciliationSchema = z
  .object({
    reconciliation_id: z.string().meta({ example: "rec_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
    started_by: z.string().meta({
      description: "`schedule`, `operator` (command line), or `admin:` with a `user_id`.",
      example: "schedule",
    }),
    scope: z.enum(["all", "recent"]).meta({
      description:
        "`all`: all history. `recent`: changes since the last pass, and all open turns, balances and current counters.",
      example: "all",
    }),
    started_at: z.iso.datetime(),
    finished_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: "Null while the pass is under way.", example: "2026-01-15T09:30:02.871Z" }),
    accounts: z.int().meta({ description: "Accounts checked so far.", example: 812 }),
    ledger_rows: z.int().meta({ example: 40_817 }),
    turns: z.int(),
    counters: z.int().meta({ description: "Counters of caps.", example: 5_210 }),
    findings_total: z.int().meta({ example: 1 }),
    findings: z
      .array(findingSchema)
      .meta({ description: "The first findings, in the order in which they were found." }),
  })
  .meta({ id: "Reconciliation" })

export type Reconciliation = z.infer<typeof reconciliationSchema>

function serializeFinding(row: FindingRow): z.infer<typeof findingSchema> {
  const usd = (micros: number | null) => (micros === null ? null : toUsd(micros))
  return {
    kind: row.kind,
    user_id: row.user_id,
    turn_id: row.turn_id,
    ledger_id: row.ledger_id,
    counter: row.counter && { ...row.counter, starts_at: toInstant(row.counter.starts_at) },
    expected_usd: usd(row.expected_credit_micros),
    found_usd: usd(row.found_credit_micros),
    repaired: row.repaired_at !== null,
    found_at: toInstant(row.found_at),
  }
}

export function serializeReconciliation(row: ReconciliationRow): Reconciliation {
  const { reconciliation_id, started_by, scope, accounts, ledger_rows, turns, counters } = row
  return {
    reconciliation_id,
    started_by,
    scope,
    accounts,
    ledger_rows,
    turns,
    counters,
    started_at: toInstant(row.started_at),
    finished_at: toInstant(row.finished_at),
    findings_total: row.findings,
    findings: row.shown.map(serializeFinding),
  }
}

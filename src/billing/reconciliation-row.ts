import * as z from "zod"
import { toUsd } from "../base/money.ts"
import { toInstant } from "../base/time.ts"
import type { JsonRow } from "../platform/json-row.ts"

/** The phases of a pass, in their order. */
export type Phase = "accounts" | "ledger" | "turns" | "counters" | "rollups"

/** What can be wrong with the books. `repaired`: what the reconciliation does about it by itself. */
export const FINDING_KINDS = {
  balance: "The account's balance is not the last running total of its ledger.",
  held: "The account holds more or less than its open turns will give back. Repaired: it is set to that.",
  running_total:
    "A ledger row's running total is not the former one + its amount: a row before it is lost, or this one was changed.",
  charge_without_turn: "A charge in the ledger names no turn, and is none for containers and storage.",
  infra_bill: "A charge for containers and storage is not what its bill says.",
  infra_due: "What an account is due for containers and storage is not what its bills could not take.",
  charged_twice: "A turn was charged more than once.",
  charge_missing: "A turn that was billed has no charge in the ledger.",
  charge_amount: "A turn's charge is not what it was billed.",
  charge_unexpected: "A turn was charged that has not ended, was billed nothing, or is a test turn.",
  charge_of_other_account: "A turn was charged to an account that is not its own.",
  charge_of_other_kind: "The charge of a key's turn is booked as a web-chat turn's, or the other way round.",
  failure_charged: "A turn was charged that failed by us. Repaired: it is refunded.",
  usage_bills: "The bills of a turn's model calls do not add up to its own.",
  chat_calls:
    "The model calls of a web-chat turn do not add up to its record, in number, cost or bill. `expected` and `found` are the costs.",
  refunded_twice: "A turn was refunded more than once.",
  refund_amount: "A turn's refund is not what it was charged.",
  refund_of_other_account: "A turn was refunded to an account that is not its own.",
  hold_on_ended_turn: "A turn that has ended still has a hold.",
  hold_differs: "An open turn's hold is not what it will give back.",
  orphaned_turn: "Nobody would ever look at an open turn again. Repaired: the sweeper takes it.",
  unposted: "What shards of an account were charged is not what is queued to be posted.",
  counter_spent: "A cap's counter differs from what its turns were billed. Repaired: it is set to that.",
  counter_reserved: "A cap's counter differs from what its open turns hold. Repaired: it is set to that.",
  counter_missing: "Turns of a current period have no counter. Repaired: it is made.",
  rollup: "A number in a rollup of a day that is over is not what raw records come to.",
} as const

export type FindingKind = keyof typeof FINDING_KINDS

/** A row of reconciliation_findings, as to_jsonb gives it. */
export interface FindingRow extends Omit<JsonRow<"reconciliation_findings">, "kind" | "counter"> {
  kind: FindingKind
  counter: Counter | null
}

export interface Counter {
  kind: "key" | "end_user" | "account" | "rollup"
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
        kind: z.enum(["key", "end_user", "account", "members", "rollup"]),
        subject: z.string().meta({
          description: "A `key_id`, or an `end_user_ref`; empty for an account. Of a rollup its table, key and column.",
          example: "customer-42",
        }),
        period: z.enum(["day", "month", "window", "hour"]),
        starts_at: z.iso.datetime(),
      })
      .nullable()
      .meta({ description: "Which counter, when a cap's counter or a rollup is wrong.", example: null }),
    expected_usd: z.number().nullable().meta({ description: "What should be there.", example: 0.0041 }),
    found_usd: z.number().nullable().meta({ description: "What is there.", example: 0.0082 }),
    repaired: z.boolean().meta({ description: "Whether the reconciliation repaired it.", example: false }),
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
        "`all` history, or `recent`: what has moved since the last pass, and all open turns, balances and current counters.",
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

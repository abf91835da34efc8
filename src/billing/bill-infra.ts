import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { toUsd } from "../base/money.ts"
import { toInstant } from "../base/time.ts"
import { wakeWebhooks } from "../feed/wake-webhooks.ts"
import { callOne } from "../platform/db.ts"
import type { JsonRow } from "../platform/json-row.ts"
import type { Answers } from "../platform/procedures.ts"
import { INFRA_POLICY } from "./policies.ts"

const HOUR_BYTES = 2 ** 30 * 3600

const billSchema = z.object({
  user_id: z.int().meta({ example: 42 }),
  starts_at: z.iso
    .datetime()
    .nullable()
    .meta({ description: "The end of the account's previous bill. Null for its first bill." }),
  ends_at: z.iso.datetime(),
  container_seconds: z.number().meta({ example: 81.25 }),
  stored_gib_hours: z.number().meta({ example: 360.5 }),
  cost_usd: z.number().meta({ description: "The cost of this usage, in USD.", example: 0.0442 }),
  due_before_usd: z.number().meta({ description: "The amount that earlier bills could not charge.", example: 0 }),
  billed_usd: z
    .number()
    .meta({ description: "The charged amount: one entry of the account's ledger.", example: 0.0442 }),
  due_usd: z
    .number()
    .meta({ description: "The amount that remains due because the account had too little credit.", example: 0 }),
})

export const infraBillingSchema = z
  .object({
    dry_run: z.boolean(),
    until: z.iso.datetime().meta({ description: "Usage up to this time is billed." }),
    finished: z
      .boolean()
      .meta({ description: "False if there are more accounts. The next request continues where this one stopped." }),
    accounts: z.int().meta({ description: "The number of accounts with a bill in this response.", example: 3 }),
    cost_usd: z.number().meta({ example: 0.4 }),
    billed_usd: z.number().meta({ example: 0.38 }),
    due_usd: z.number().meta({ description: "The amount that remains due after these bills.", example: 0.02 }),
    bills: z.array(billSchema).meta({ description: `The first ${INFRA_POLICY.shownBills} bills, by \`user_id\`.` }),
  })
  .meta({ id: "InfraBilling" })

type InfraBilling = z.infer<typeof infraBillingSchema>

type BillRow = Answers["infra_bill"]

/** A billing run. A dry run has no `run_id`. */
type RunRow = Omit<JsonRow<"infra_runs">, "run_id"> & { run_id: number | null }

/**
 * Bills the containers and storage that each account used since its last bill, at
 * the prices in the settings. Continues an unfinished run. A dry run writes nothing.
 */
export async function billInfra(ctx: Context, credential: SessionCredential, dryRun: boolean): Promise<InfraBilling> {
  const { row } = await callAs(ctx, credential, "begin_infra_run", { dry: dryRun })
  const run = row.run as RunRow
  const until = ctx.clock.now().getTime() + INFRA_POLICY.requestMs
  const bills: BillRow[] = []
  let finished = false
  let position = 0
  do {
    const slice = run.run_id === null ? await quote(ctx, run, position) : await bill(ctx, run.run_id)
    bills.push(...(slice.bills ?? []))
    position = slice.reached ?? 0
    finished = slice.finished === true
  } while (!finished && ctx.clock.now().getTime() < until)
  const sum = (of: (row: BillRow) => number) => toUsd(bills.reduce((all, row) => all + of(row), 0))
  return {
    dry_run: dryRun,
    until: toInstant(run.until_at),
    finished,
    accounts: bills.length,
    cost_usd: sum(({ cost }) => cost),
    billed_usd: sum(({ billed }) => billed),
    due_usd: sum(({ due }) => due),
    bills: bills.slice(0, INFRA_POLICY.shownBills).map(serializeBill),
  }
}

function quote(ctx: Context, run: RunRow, position: number) {
  const { until_at, container_second_micros: second, stored_gib_hour_micros: gib_hour } = run
  const limit = INFRA_POLICY.quotedPerStatement
  return callOne(ctx.db, "quote_infra_slice", { position, limit, until: new Date(until_at), second, gib_hour })
}

async function bill(ctx: Context, runId: number) {
  const args = { run_id: runId, limit: INFRA_POLICY.accountsPerStatement, moment: ctx.clock.now() }
  const slice = await callOne(ctx.db, "bill_infra_slice", args)
  for (const { user_id, has_subscriber } of slice.bills ?? []) {
    if (has_subscriber) wakeWebhooks(ctx, { user_id, test: false, has_subscriber: true })
  }
  return slice
}

function serializeBill(row: BillRow): InfraBilling["bills"][number] {
  return {
    user_id: row.user_id,
    starts_at: row.starts_at === null ? null : toInstant(row.starts_at),
    ends_at: toInstant(row.ends_at),
    container_seconds: row.milliseconds / 1000,
    stored_gib_hours: row.byte_seconds / HOUR_BYTES,
    cost_usd: toUsd(row.cost),
    due_before_usd: toUsd(row.due_before),
    billed_usd: toUsd(row.billed),
    due_usd: toUsd(row.due),
  }
}

import * as z from "zod"
import type { Credential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { inParallel } from "../base/in-parallel.ts"
import { toInstant } from "../base/time.ts"
import { wakeWebhooks } from "../feed/wake-webhooks.ts"
import { call, callOne } from "../platform/db.ts"
import type { JsonRow } from "../platform/json-row.ts"
import { describeError } from "../platform/log.ts"
import { EXPORT_POLICY } from "./policies.ts"

export const putLedgerExportSchema = z
  .strictObject({
    enabled: z.boolean().meta({
      description:
        "`true` exports every charge and refund that is booked from now on. `false` ends the current hour at this moment and stops.",
      example: true,
    }),
  })
  .meta({ id: "PutUsageExport" })

export const ledgerExportSchema = z
  .object({
    enabled: z.boolean(),
    started_at: z.iso.datetime().nullable().meta({
      description: "The export has every row that was booked since then. Null: it was never started.",
    }),
    closed_until: z.iso.datetime().nullable().meta({
      description: "No row comes into an hour before this time any more. Null: it was never started.",
    }),
  })
  .meta({ id: "UsageExport" })

export type LedgerExport = z.infer<typeof ledgerExportSchema>

/** Returns the export of the account's ledger. Starts or stops it if `enabled` is given. Throws SCOPE_DENIED. */
export async function putExport(ctx: Context, credential: Credential, enabled: boolean | null): Promise<LedgerExport> {
  const { actor, row } = await callAs(ctx, credential, "put_export", { enabled })
  if (row.refused === "scope") {
    throw new TurnpikeError("SCOPE_DENIED", "Only a live key to all spaces can export the account's ledger.")
  }
  wakeWebhooks(ctx, { user_id: actor.user_id, test: false, has_subscriber: row.has_subscriber === true })
  const ledgerExport = row.export as JsonRow<"ledger_exports"> | null
  if (!ledgerExport?.started_at) return { enabled: false, started_at: null, closed_until: null }
  const { started_at, closed_until } = ledgerExport
  return { enabled: ledgerExport.enabled, started_at: toInstant(started_at), closed_until: toInstant(closed_until) }
}

/** Exports new ledger rows of each account that has asked for it. One that fails does not stop the others. */
export async function sweepLedgerExports(ctx: Context): Promise<{ exported: number; closed: number; failed: number }> {
  const swept = { exported: 0, closed: 0, failed: 0 }
  const began = ctx.clock.now().getTime()
  const isOver = () => ctx.clock.now().getTime() > began + EXPORT_POLICY.sweepMs
  const ended_before = new Date(began - EXPORT_POLICY.closeAfterMs)
  for (let after = 0; !isOver(); ) {
    const page = await call(ctx.db, "exports_due", { ended_before, after, limit: EXPORT_POLICY.accounts })
    await inParallel(page, async ({ user_id }) => {
      try {
        for (let isMore = true; isMore && !isOver(); ) {
          const part = await callOne(ctx.db, "export_ledger", {
            user_id: user_id as number,
            limit: EXPORT_POLICY.batch,
            ended_before,
            moment: ctx.clock.now(),
          })
          swept.exported += part.exported ?? 0
          swept.closed += part.closed ?? 0
          isMore = part.is_more === true
          const has_subscriber = part.has_subscriber === true
          wakeWebhooks(ctx, { user_id: user_id as number, test: false, has_subscriber })
        }
      } catch (error) {
        swept.failed++
        ctx.log("error", "ledger_exports.failed", { user_id, error: describeError(error) })
      }
    })
    after = page.at(-1)?.user_id ?? 0
    if (page.length < EXPORT_POLICY.accounts) break
  }
  return swept
}

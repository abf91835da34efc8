import { sql } from "kysely"
import type { Context } from "../actor/context.ts"
import { readerOfJob } from "../actor/readers.ts"
import { storedRow } from "../base/casts.ts"
import { spanOf } from "../base/report-range.ts"
import { callOne } from "../platform/db.ts"
import type { Procedures } from "../platform/procedures.ts"
import { REPORT_FILE_POLICY } from "./policies.ts"
import { publishReportFile } from "./publish-report-file.ts"
import type { FileAsked, FiledReport, FileForms } from "./report-file.ts"

type Claim = NonNullable<Procedures["claim_report_file"]["row"]["claim"]>

/** The place of the next part: its number, and the entries that are written. */
interface Place {
  part: number
  written: number
}

const later = (ctx: Context, ms: number) => new Date(ctx.clock.now().getTime() + ms)

/**
 * One run of the callback that writes a file. It claims the file and stores its next parts, until the file is ready or
 * the time is over. Then it calls the next run. If it dies, its claim expires and the sweep calls another one. Parts
 * of an earlier claim stay outside the file, so no row is doubled.
 */
export async function writeReportFile(ctx: Context, fileId: string, forms: FileForms): Promise<{ parts: number }> {
  const until = later(ctx, REPORT_FILE_POLICY.runMs)
  const { claim } = await callOne(ctx.db, "claim_report_file", {
    file_id: fileId,
    until: later(ctx, REPORT_FILE_POLICY.leaseMs),
    tries: REPORT_FILE_POLICY.tries,
    expires_at: later(ctx, REPORT_FILE_POLICY.keptMs),
    moment: ctx.clock.now(),
  })
  if (!claim?.file_id) return { parts: 0 }
  const place = { part: claim.parts.length, written: claim.written }
  let parts = 0
  try {
    do {
      const state = await writePart(ctx, claim, place, forms)
      if (state !== null) parts++
      if (state !== "making") return { parts }
    } while (ctx.clock.now() < until)
  } catch (error) {
    await release(ctx, claim).catch(() => {})
    throw error
  }
  await release(ctx, claim)
  await publishReportFile(ctx, fileId)
  return { parts }
}

const release = (ctx: Context, { file_id, epoch }: Claim) =>
  callOne(ctx.db, "release_report_file", { file_id, epoch, moment: ctx.clock.now() })

/** Stores the next part and moves `place` to its end. Returns the file's state; null if the claim is lost. */
async function writePart(ctx: Context, claim: Claim, place: Place, forms: FileForms): Promise<string | null> {
  const { file_id, epoch } = claim
  const asked = storedRow<FileAsked>(claim.asked)
  const form = forms[claim.report as FiledReport]
  const range = { from: new Date(asked.from), to: new Date(asked.to) }
  const keys = await nextKeys(ctx, claim, place, Math.max(1, Math.floor(REPORT_FILE_POLICY.partRows / spanOf(range))))
  let rows = 0
  const pieces: string[] = place.part === 0 ? [asked.bom ? "\ufeff" : "", form.header] : []
  const days = { range, empty_days: asked.empty_days }
  for await (const lines of form.lines(readerOfJob(ctx), days, keys)) {
    rows += lines.length
    pieces.push(lines.join(""))
  }
  const bytes = new TextEncoder().encode(pieces.join(""))
  const key = `${prefixOf(file_id)}${place.part}-${epoch}`
  await ctx.files.put(key, bytes)
  const { keep_report_part: state } = await callOne(ctx.db, "keep_report_part", {
    file_id,
    epoch,
    part: { key, entries: keys.length, rows, bytes: bytes.length },
    until: later(ctx, REPORT_FILE_POLICY.leaseMs),
    expires_at: later(ctx, REPORT_FILE_POLICY.keptMs),
    moment: ctx.clock.now(),
  })
  place.part++
  place.written += keys.length
  return state
}

/** Objects of a file have keys with this prefix, also those of lost claims. */
export const prefixOf = (fileId: string) => `report-files/${fileId}/`

async function nextKeys(ctx: Context, { file_id, epoch }: Claim, { written }: Place, most: number): Promise<string[]> {
  const next = sql<string[]>`to_jsonb(entries[${written + 1}::integer:${written + most}::integer])`
  const row = await ctx.db
    .selectFrom("report_files")
    .where("file_id", "=", file_id)
    .where("epoch", "=", epoch)
    .select(next.as("keys"))
    .executeTakeFirst()
  return row?.keys ?? []
}

import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import { editAs } from "../actor/edit-as.ts"
import { changedBySchema, serializeChangedBy } from "../base/changed-by.ts"
import { TurnpikeError } from "../base/errors.ts"
import type { SealTarget } from "../base/key-ring.ts"
import { toInstant } from "../base/time.ts"
import type { Answers } from "../platform/procedures.ts"
import { checkOperatorsUrl } from "../platform/public-url.ts"
import { FORMAT_NAMES, type FormatName } from "./formats.ts"
import { BOOK_POLICY } from "./policies.ts"
import { dayBefore } from "./report-day.ts"

const format = z.enum(FORMAT_NAMES).meta({
  description:
    "`anthropic`: the Usage and Cost Admin API. `openai`: usage and costs of an organisation. `openrouter`: activity and generations.",
  example: "anthropic",
})
const scope_id = z.string().trim().min(1).max(128).nullable().meta({
  description:
    "The workspace (Anthropic) or project (OpenAI) that has the account's key, if the organisation has others. Null: all of the organisation's use is the account's.",
  example: null,
})
const base_url = z
  .string()
  .max(2048)
  .regex(/^[^?#]*$/, "must not have a query or a fragment")
  .nullable()
const shared = z.boolean().meta({
  description:
    "True if other software uses the account, too. Then the part that our calls do not have counts as its use, and is no finding.",
  example: false,
})

export const putProviderReportSchema = z
  .strictObject({
    format,
    api_key: z
      .string()
      .regex(/^[\x21-\x7e]{8,8192}$/, "must be 8–8192 printable ASCII characters without spaces")
      .optional()
      .meta({
        description:
          "The key that may read the reports: an admin key (Anthropic, OpenAI) or a management key (OpenRouter). It is never returned. Default: the stored key.",
        example: "sk-admin-example-7f3a",
      }),
    scope_id: scope_id.default(null),
    base_url: base_url.default(null).meta({ description: "Null: the provider's own URL.", example: null }),
    shared: shared.default(false),
  })
  .meta({ id: "PutProviderReportRequest" })

export const providerReportSchema = z
  .object({
    provider_id: z.string().meta({ example: "team-one" }),
    format,
    base_url: z.string().nullable().meta({ description: "Null: the provider's own URL.", example: null }),
    scope_id,
    shared,
    first_day: z.iso.date().meta({ description: "The first day (UTC) that is compared.", example: "2026-01-08" }),
    version: z.int().meta({ description: "The version of this setting. Each change increments it." }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    updated_by: changedBySchema("The user who last changed it. Null: the command line."),
  })
  .meta({ id: "ProviderReport" })

export type ProviderReport = z.infer<typeof providerReportSchema>

const NOT_FOUND = ["NOT_FOUND", "No account has this id, or it has no reports."] as const

function keyMissing(): TurnpikeError {
  const message = "is required, because no key is stored for the reports of this account"
  const faults = [{ location: "body" as const, path: ["api_key"], type: "missing", message }]
  return new TurnpikeError("VALIDATION_FAILED", `api_key: ${message}`, { param: "api_key", faults })
}

/** Sets how the reports of an account are read. Throws NOT_FOUND, or VALIDATION_FAILED (base URL, key). */
export async function putProviderReport(
  ctx: Context,
  credential: SessionCredential,
  {
    providerId,
    ifVersion,
    wanted: { api_key, ...report },
  }: { providerId: string; ifVersion: number | null; wanted: z.output<typeof putProviderReportSchema> },
): Promise<ProviderReport> {
  if (report.base_url !== null) checkOperatorsUrl(ctx, report.base_url, "base_url")
  return editAs(ctx, credential, "put_provider_report", {
    args: {
      provider_id: providerId,
      report: { ...report, first_day: dayBefore(ctx.clock.now(), BOOK_POLICY.backDays) },
      sealed: api_key === undefined ? null : await sealReportKey(ctx, providerId, api_key),
      if_version: ifVersion,
    },
    refusals: {
      not_found: [...NOT_FOUND],
      no_key: keyMissing,
    },
    serialize: serializeReport,
  })
}

/** Ends the comparison of an account, and forgets its key. Throws NOT_FOUND. */
export function removeProviderReport(
  ctx: Context,
  credential: SessionCredential,
  { providerId, ifVersion }: { providerId: string; ifVersion: number | null },
): Promise<ProviderReport> {
  return editAs(ctx, credential, "remove_provider_report", {
    args: { provider_id: providerId, if_version: ifVersion },
    refusals: { not_found: [...NOT_FOUND] },
    serialize: serializeReport,
  })
}

const targetOf = (providerId: string): SealTarget => ({
  table: "provider_reports",
  column: "sealed",
  row: providerId,
  owner: "operator",
})

/** The key of an account's reports, as its row has it. */
export const sealReportKey = ({ keyRing }: Pick<Context, "keyRing">, providerId: string, key: string) =>
  keyRing.seal(key, targetOf(providerId))

/** The key of an account's reports. Throws if it cannot be opened. */
export const openReportKey = async (
  { keyRing }: Pick<Context, "keyRing">,
  providerId: string,
  sealed: string,
): Promise<string> => (await keyRing.open(sealed, targetOf(providerId))).text

type ReportRow = Answers["report_answer"]

export function serializeReport(row: ReportRow): ProviderReport {
  const { provider_id, base_url, scope_id, shared, first_day, version } = row
  return {
    provider_id,
    format: row.format as FormatName,
    base_url,
    scope_id,
    shared,
    first_day: String(first_day),
    version,
    created_at: toInstant(row.created_at),
    updated_at: toInstant(row.updated_at),
    updated_by: serializeChangedBy(row),
  }
}

import * as z from "zod"
import { noteExport } from "../actor/note-export.ts"
import { TurnpikeError } from "../base/errors.ts"
import { USD_DECIMALS } from "../base/money.ts"
import { exportUsage } from "../billing/export-usage.ts"
import { DEFAULT_USAGE_DAYS, reportUsage } from "../billing/report-usage.ts"
import { USAGE_GROUPINGS, usageReportSchema } from "../billing/usage-schemas.ts"
import type { App } from "../http/app.ts"
import { bom, markedPieces } from "../http/csv.ts"
import { instantOrDayParam, pageQuery, positionCursor, repeated } from "../http/query.ts"
import { textStream } from "../http/text-stream.ts"
import type { Mounting } from "./mounting.ts"

const usageQuery = {
  group_by: z.enum(USAGE_GROUPINGS).default("day").meta({ description: "What each row stands for. Default: `day`." }),
  from: instantOrDayParam.optional().meta({
    description: `Inclusive: an instant, or a day, which begins at 00:00 UTC. Default: ${DEFAULT_USAGE_DAYS} days before \`to\`.`,
    example: "2026-11-01",
  }),
  to: instantOrDayParam.optional().meta({
    description: "Exclusive. Default: the end of today, in UTC.",
    example: "2026-12-01T00:00:00Z",
  }),
  space: repeated.optional().meta({ description: "Only these spaces; repeat it for several." }),
  end_user_ref: repeated.optional().meta({ description: "Only these end users; repeat it for several." }),
  model: repeated.optional().meta({ description: "Only model calls of these pins; repeat it for several." }),
  key: repeated.optional().meta({ description: "Only turns of these keys, by `key_id`; repeat it for several." }),
  format: z
    .enum(["json", "csv"])
    .optional()
    .meta({ description: "Takes precedence over the Accept header. Default: `json`." }),
  bom,
  limit: pageQuery.limit,
  cursor: positionCursor,
}

/** What was billed, as JSON or CSV; the same for keys and for a signed-in owner. */
export function mountUsageReport(app: App, { prefix, query }: Mounting) {
  app.operation(
    {
      method: "get",
      path: `${prefix}/usage`,
      id: "getUsage",
      tag: "Usage",
      summary: "What was billed, by end user, space, model, key or day",
      description:
        "Sums the turns that ended in the range, within the key's scope, by `group_by`. Groups are sorted " +
        "by their bytes, and groups without turns are left out. A turn counts at the moment it ended and " +
        "was billed, which is the time of its ledger row. So for every grouping, `billed_usd` adds up " +
        "exactly to the ledger's rows with the reason `usage` in the range. By `model`, each call counts " +
        "under its own model, including those of sub-agents. Web-chat turns have no key and the ledger's " +
        "reason `space_usage`, and are not included.\n\nWith `Accept: text/csv` or `format=csv` the answer " +
        "is the whole report as CSV (RFC 4180, UTF-8, with a header line), without pages. A group that a " +
        "spreadsheet could take for a formula, because it begins with one of `=+-@`, a tab or a line " +
        "break, gets an apostrophe in front. So does a group that begins with an apostrophe: remove one to " +
        "get the group. Within a group, a formula or an apostrophe after `;`, `|`, a tab or a line break gets one too. " +
        "With `bom=true` the file begins with a byte order mark, so that Excel reads it as UTF-8.",
      query: z.strictObject({ ...usageQuery, ...query }),
      answer: {
        status: 200,
        description: "A page of the report.",
        schema: usageReportSchema,
        also: {
          "text/csv": `Columns: the grouping's name, billed_usd (${USD_DECIMALS} decimals), turns, model_calls, tokens_input, …`,
        },
      },
      errors: [],
    },
    async (c, { query: { limit, cursor, format, bom: asBom, ...rest } }) => {
      const { group_by, from, to, space, end_user_ref, model, key } = rest
      const asked = { group_by, from, to, space, end_user_ref, model, key }
      if ((format ?? (acceptsCsv(c.req.header("accept")) ? "csv" : "json")) === "json") {
        return reportUsage(c.get("ctx"), c.get("credential"), { query: asked, limit, cursor })
      }
      if (cursor !== undefined) {
        throw new TurnpikeError("VALIDATION_FAILED", "cursor: not allowed with CSV, which has no pages", {
          param: "cursor",
        })
      }
      const { from: begin, to: end, pieces } = await exportUsage(c.get("ctx"), c.get("credential"), asked)
      await noteExport(c.get("ctx"), c.get("credential"), { what: `usage-by-${asked.group_by}`, query: { from, to } })
      const name = `usage-by-${asked.group_by}-${begin.slice(0, 10)}-${end.slice(0, 10)}.csv`
      return textStream(markedPieces(pieces, asBom), c.get("ctx"), {
        "content-type": "text/csv; charset=utf-8; header=present",
        "content-disposition": `attachment; filename="${name}"`,
      })
    },
  )
}

function acceptsCsv(accept = ""): boolean {
  return accept.split(",").some((type) => type.split(";")[0]?.trim().toLowerCase() === "text/csv")
}

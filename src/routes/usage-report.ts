import * as z from "zod"
import { noteExport } from "../actor/note-export.ts"
import { TurnpikeError } from "../base/errors.ts"
import { USD_DECIMALS } from "../base/money.ts"
import { exportUsage } from "../billing/export-usage.ts"
import { DEFAULT_USAGE_DAYS, reportUsage } from "../billing/report-usage.ts"
import { getUsageKeys, putUsageKeys, putUsageKeysSchema, usageKeysSchema } from "../billing/usage-keys.ts"
import { USAGE_SORTS, usageGroupingSchema, usageReportSchema } from "../billing/usage-schemas.ts"
import type { App } from "../http/app.ts"
import { bom, markedPieces } from "../http/csv.ts"
import { instantOrDayParam, pageQuery, positionCursor, repeated } from "../http/query.ts"
import { textStream } from "../http/text-stream.ts"
import { bareQuery, type Mounting, toKeys } from "./mounting.ts"

const usageQuery = {
  group_by: usageGroupingSchema.default("day").meta({
    description:
      "The dimension of the rows: `end_user_ref`, `space`, `model`, `key`, `day`, `hour` (of the day, UTC), `config_version`, or `metadata.` and a key " +
      "that you have registered with `PUT /v1/usage-keys`. Default: `day`.",
    example: "day",
  }),
  from: instantOrDayParam.optional().meta({
    description: `The start, inclusive: an instant, or a date, which means 00:00 UTC. Default: ${DEFAULT_USAGE_DAYS} days before \`to\`.`,
    example: "2026-11-01",
  }),
  to: instantOrDayParam.optional().meta({
    description: "The end, exclusive: an instant, or a date, which means 00:00 UTC. Default: the end of today (UTC).",
    example: "2026-12-01T00:00:00Z",
  }),
  space: repeated.optional().meta({ description: "Only these spaces. Repeat the parameter for several." }),
  end_user_ref: repeated.optional().meta({ description: "Only these end users. Repeat the parameter for several." }),
  model: repeated
    .optional()
    .meta({ description: "Only model calls with these pins. Repeat the parameter for several." }),
  key: repeated
    .optional()
    .meta({ description: "Only turns of these keys, by `key_id`. Repeat the parameter for several." }),
  sort: z.enum(USAGE_SORTS).optional().meta({
    description:
      "The order of the groups: by their bytes (`group`), or by a sum. Equal sums are in the order of the groups. Default: `group`.",
    example: "billed",
  }),
  direction: z
    .enum(["asc", "desc"])
    .optional()
    .meta({ description: "Default: `asc` by `group`, and `desc` by a sum." }),
  format: z
    .enum(["json", "csv"])
    .optional()
    .meta({ description: "The format of the report. It takes precedence over the Accept header. Default: `json`." }),
  bom,
  limit: pageQuery.limit,
  cursor: positionCursor,
}

/** Report of billed amounts as JSON or CSV. Mounted for keys and for a signed-in owner. */
export function mountUsageReport(app: App, mounting: Mounting) {
  const { prefix, query } = mounting
  mountUsageKeys(app, mounting)
  app.operation(
    {
      method: "get",
      path: `${prefix}/usage`,
      id: "getUsage",
      tag: "Usage",
      summary: "Report usage by end user, space, model, key, day, hour or metadata",
      description:
        "Sums the turns that ended in the range, within the key's scope, by `group_by`. Groups are sorted " +
        "by their bytes or by `sort`, and groups without turns are left out. A turn counts at the time when it ended and " +
        "was billed, which is the time of its ledger entry. So for every grouping, `billed_usd` adds up " +
        "exactly to the ledger entries with the reason `usage` in the range. A refund counts at the time of its ledger entry, too: in " +
        "`refunded_usd`, also in a group without turns in the range. By `model`, each call counts " +
        "for its own model, including calls of sub-agents. Web-chat turns are not included: they have no key, and their ledger " +
        "reason is `space_usage`.\n\nWith `Accept: text/csv` or `format=csv`, the response " +
        "is the whole report as CSV (RFC 4180, UTF-8, with a header line), without pages. Some groups get a leading apostrophe, because a " +
        "spreadsheet could read them as a formula: those that begin with one of `=+-@`, a tab or a line " +
        "break. Groups that begin with an apostrophe get another one, so remove one apostrophe to " +
        "get the original group. The same applies after each `;`, `|`, tab or line break within a group. " +
        "With `bom=true` the file begins with a byte order mark, so that Excel reads it as UTF-8.",
      query: z.strictObject({ ...usageQuery, ...query }),
      answer: {
        status: 200,
        description: "A page of the report.",
        schema: usageReportSchema,
        also: {
          "text/csv": `Columns: the name of the grouping, billed_usd (${USD_DECIMALS} decimals), turns, model_calls, tokens_input, …`,
        },
      },
      errors: [],
    },
    async (c, { query: { limit, cursor, format, bom: asBom, ...rest } }) => {
      const { group_by, from, to, space, end_user_ref, model, key, sort, direction } = rest
      const asked = { group_by, from, to, space, end_user_ref, model, key, sort, direction }
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

function mountUsageKeys(app: App, mounting: Mounting) {
  const { prefix } = mounting
  const tag = "Usage"
  const answer = { status: 200 as const, description: "The registered keys.", schema: usageKeysSchema }
  app.operation(
    {
      method: "get",
      path: `${prefix}/usage-keys`,
      id: "getUsageKeys",
      tagged: {},
      tag,
      summary: "Read the registered keys of metadata",
      description: "The keys of the turns' `metadata` by which usage can be grouped.",
      query: bareQuery(mounting),
      answer,
      errors: [],
    },
    async (c) => getUsageKeys(c.get("ctx"), c.get("credential")),
  )

  app.operation(
    {
      method: "put",
      path: `${prefix}/usage-keys`,
      id: "putUsageKeys",
      tagged: {},
      tag,
      summary: "Register keys of metadata",
      description:
        "Replaces the keys of the turns' `metadata` by which usage can be grouped. Turns that ended before count too. Erased turns have " +
        `no metadata.${toKeys(mounting, " The key needs the scope `all`.")}`,
      query: bareQuery(mounting),
      body: putUsageKeysSchema,
      answer,
      errors: ["SCOPE_DENIED"],
      keyScope: "live all",
    },
    async (c, { body: { keys } }) => putUsageKeys(c.get("ctx"), c.get("credential"), keys),
  )
}

function acceptsCsv(accept = ""): boolean {
  return accept.split(",").some((type) => type.split(";")[0]?.trim().toLowerCase() === "text/csv")
}

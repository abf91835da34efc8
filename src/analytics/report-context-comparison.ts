import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { daysBetween } from "../base/report-range.ts"
import { always, envelope, envelopeOf, imageCalls, ratio } from "./answer.ts"
import { type ReportAsked, reportedBrand } from "./brand.ts"
import { providerDays } from "./families.ts"
import { datesOf } from "./range.ts"
import { DRAWN, SUMS } from "./sums.ts"

const contextSchema = z.object({
  model_calls: z.int().meta({ description: "Calls that a member of a pool served.", example: 320 }),
  image_calls: imageCalls,
  tokens_input: z.int().meta({ description: "Their input tokens, including cached ones.", example: 6_400_000 }),
  tokens_cached: z.int().meta({ example: 4_800_000 }),
  avg_context_tokens: z.number().nullable().meta({
    description: "`tokens_input` / (`model_calls` - `image_calls`). Null without such calls.",
    example: 20_000,
  }),
  cache_hit_rate: z.number().nullable().meta({
    description:
      "The share of input tokens that were cached, 0 to 1: `tokens_cached` / `tokens_input`. Null without input tokens.",
    example: 0.75,
  }),
})

export const contextComparisonSchema = z
  .object({
    ...envelope(always("day")),
    items: z
      .array(
        z.object({
          date: z.iso.date().meta({ example: "2026-01-14" }),
          orchestrator: contextSchema.meta({ description: "Calls of the spaces' own agents." }),
          subagent: contextSchema.meta({ description: "Calls of sub-agents." }),
        }),
      )
      .meta({ description: "Every day of the range, the oldest first." }),
  })
  .meta({ id: "ContextComparisonReport" })

export type ContextComparison = z.infer<typeof contextComparisonSchema>

interface Read {
  model_calls: number
  pictures: number
  tokens_input: number
  tokens_cached: number
}

const NOTHING: Read = { model_calls: 0, pictures: 0, tokens_input: 0, tokens_cached: 0 }

const serializeContext = ({ model_calls, pictures, tokens_input, tokens_cached }: Read) => ({
  model_calls,
  image_calls: pictures,
  tokens_input,
  tokens_cached,
  avg_context_tokens: ratio(tokens_input, model_calls - pictures),
  cache_hit_rate: ratio(tokens_cached, tokens_input),
})

/** Reports the input tokens of calls that pools served by day, for orchestrators and for sub-agents. For admins. */
export async function reportContextComparison(
  ctx: Context,
  credential: SessionCredential,
  asked: ReportAsked,
): Promise<ContextComparison> {
  const now = ctx.clock.now()
  const range = { ...daysBetween(now, asked), brand: await reportedBrand(ctx, credential, asked) }
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db.selectFrom("caller").select(
        jsonArrayFrom(
          db
            .selectFrom(providerDays(db, range).as("u"))
            .where("u.pooled", "=", true)
            .select(["u.day", "u.role", ...SUMS, DRAWN])
            .groupBy(["u.day", "u.role"]),
        ).as("days"),
      ),
    { role: "admin" },
  )
  const read = new Map(rows[0]?.days.map((row) => [`${row.day} ${row.role}`, row]))
  return {
    ...envelopeOf(now, range, "day"),
    items: datesOf(range).map((date) => ({
      date,
      orchestrator: serializeContext(read.get(`${date} orchestrator`) ?? NOTHING),
      subagent: serializeContext(read.get(`${date} subagent`) ?? NOTHING),
    })),
  }
}

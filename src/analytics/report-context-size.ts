import { type QueryCreator, sql } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import type { CallerDB, ReadRows } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { readerOfAdmin } from "../actor/readers.ts"
import { inOrder, type KeyedParts, type ListPage, readInParts } from "../base/in-parts.ts"
import { daysBetween } from "../base/report-range.ts"
import { isOneOf } from "../platform/one-of.ts"
import { always, cutPageFields, envelope, envelopeOf, imageCalls, ratio } from "./answer.ts"
import { isOfBrand, reportedBrand, type Scope } from "./brand.ts"
import { fromColumns, inColumns } from "./columns.ts"
import { queuedSpaceDays, rolledSpaceDays } from "./families.ts"
import { type DaysAsked, datesOf, datesOfSeries, type SeriesOf } from "./range.ts"
import { rankSpaces, spacesOfPart, theseSpaces, usedSpaces } from "./ranked-spaces.ts"
import { SPACE_COLUMNS, spaceFields } from "./space-names.ts"
import { CONTEXT } from "./sums.ts"

const size = {
  model_calls: z.int().meta({ example: 48 }),
  image_calls: imageCalls,
  avg_tokens_input: z.number().nullable().meta({
    description:
      "The average number of input tokens of the `model_calls` - `image_calls` other calls. Null without such calls.",
    example: 8421.5,
  }),
  max_tokens_input: z.int().nullable().meta({
    description: "The highest number of input tokens of a call. Null without calls.",
    example: 31_200,
  }),
}

export const contextSizeSchema = z
  .object({
    ...envelope(always("day")),
    space: z.string().nullable().meta({
      description: "The slug of the requested space. Null for all spaces.",
      example: "spc_01jd3k9m2x4t8r5w6y7z0a1b2c",
    }),
    ...cutPageFields,
    items: z
      .array(
        z.object({
          ...spaceFields,
          ...size,
          days: z
            .array(z.object({ date: z.iso.date().meta({ example: "2026-01-14" }), ...size }))
            .meta({ description: "The days of the range, the oldest first." }),
        }),
      )
      .meta({
        description:
          "The requested space, or all spaces that were used in the range, the highest billed amount first. Empty if the requested " +
          "space does not exist.",
      }),
  })
  .meta({ id: "ContextSizeReport" })

export type ContextSize = z.infer<typeof contextSizeSchema>

type DayRow = Row & { day: string }

const COLUMNS = {
  model_calls: "calls",
  pictures: "pictures",
  tokens_input: "tokens_input",
  most: "tokens_input_most",
} as const

interface Row {
  model_calls: number
  /** Calls that made an image. They have no input tokens. */
  pictures: number
  tokens_input: number
  most: number
}

type Item = ContextSize["items"][number]

/**
 * Reports the input tokens of the model calls of spaces on each of the
 * last days, for admins: of all spaces that were used, or of one space.
 */
export async function reportContextSize(
  ctx: Context,
  credential: SessionCredential,
  { empty_days, space, limit, offset, ...asked }: DaysAsked & { space?: string | undefined } & ListPage,
): Promise<KeyedParts<Omit<ContextSize, "items" | "next_offset">, Item>> {
  const now = ctx.clock.now()
  const range = { ...daysBetween(now, asked), brand: await reportedBrand(ctx, credential, asked) }
  const dates = datesOf(range)
  const { ids, head } = await rankSpaces(ctx, credential, { limit, offset }, (db) =>
    space === undefined ? usedSpaces(db, range) : namedSpace(db, range, space),
  )
  const read = readerOfAdmin(ctx, credential)
  return {
    head: { ...envelopeOf(now, range, "day"), space: space ?? null, ...head },
    keys: ids,
    range,
    parts: readInParts(ids, spacesOfPart(dates.length), (part) =>
      readContextSizes(read, { range, dates, empty_days }, part),
    ),
  }
}

/** Reads the context sizes of these spaces on each day. */
export async function readContextSizes(
  read: ReadRows,
  { range, dates, empty_days }: SeriesOf,
  ids: number[],
): Promise<Item[]> {
  const rows = await read((db) =>
    db.selectFrom("caller").select((eb) => [
      jsonArrayFrom(eb.selectFrom("spaces as s").where(isOneOf("s.space_id", ids)).select(SPACE_COLUMNS)).as("spaces"),
      jsonArrayFrom(
        eb
          .selectFrom(rolledSpaceDays(db, range, theseSpaces(db, ids)).as("u"))
          .select(({ fn }) => ["u.space_id", fn.agg<string[]>("array_agg", ["u.day"]).as("day"), ...inColumns(COLUMNS)])
          .groupBy("u.space_id"),
      ).as("rolled"),
      jsonArrayFrom(
        eb
          .selectFrom(queuedSpaceDays(db, range, theseSpaces(db, ids)).as("u"))
          .select(["u.space_id", "u.day", ...CONTEXT])
          .groupBy(["u.space_id", "u.day"]),
      ).as("queued"),
    ]),
  )
  const { spaces = [], rolled = [], queued = [] } = rows[0] ?? {}
  const bySpace = new Map(rolled.map(({ space_id, ...days }) => [space_id, fromColumns<DayRow>(days)]))
  for (const { space_id, ...row } of queued) bySpace.set(space_id, [...(bySpace.get(space_id) ?? []), row])
  return inOrder(ids, spaces, ({ space_id }) => space_id).map((shown) => {
    const own = (bySpace.get(shown.space_id) ?? []).filter(({ model_calls }) => model_calls > 0)
    const byDay = Map.groupBy(own, ({ day }) => day)
    const days = datesOfSeries(dates, own, empty_days).map((day) => ({
      day,
      ...(byDay.get(day) ?? []).reduce(together, NOTHING),
    }))
    return {
      ...shown,
      ...serializeSize(own.reduce<Row>(together, NOTHING)),
      days: days.map(({ day, ...row }) => ({ date: day, ...serializeSize(row) })),
    }
  })
}

const namedSpace = (db: QueryCreator<CallerDB>, { brand }: Scope, slug: string) =>
  db
    .selectFrom("spaces as s")
    .where("s.slug", "=", slug)
    .where((eb) => isOfBrand(eb.ref("s.user_id"), brand))
    .select(["s.space_id", sql<number>`0`.as("billed")])

const NOTHING: Row = { model_calls: 0, pictures: 0, tokens_input: 0, most: 0 }

const together = (a: Row, b: Row): Row => ({
  model_calls: a.model_calls + b.model_calls,
  pictures: a.pictures + b.pictures,
  tokens_input: a.tokens_input + b.tokens_input,
  most: Math.max(a.most, b.most),
})

const serializeSize = ({ model_calls, pictures, tokens_input, most }: Row) => ({
  model_calls,
  image_calls: pictures,
  avg_tokens_input: ratio(tokens_input, model_calls - pictures),
  max_tokens_input: model_calls === pictures ? null : most,
})

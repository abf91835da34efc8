import { type QueryCreator, sql } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { type CallerDB, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { toUsd } from "../base/money.ts"
import { daysBetween } from "../base/report-range.ts"
import { FREE } from "../billing/price.ts"
import { PRICE_COLUMNS, type Price } from "../catalog/price-components.ts"
import { providerPriceOf } from "../catalog/provider-prices.ts"
import { always, envelope, envelopeOf, ratio } from "./answer.ts"
import { isOfBrand, type ReportAsked, reportedBrand, type Scope } from "./brand.ts"
import { type Costs, costs, costsOf, NO_COSTS, serializeCosts } from "./costs.ts"
import { modelDays, spaceDays, userDays } from "./families.ts"
import { datesOf } from "./range.ts"
import { kindsOf, sharesOf, sumOfKinds, type TokenKinds, weightsAt } from "./share-cost.ts"
import { COST_SUMS } from "./sums.ts"

const rate = (description: string, example: number) => z.number().nullable().meta({ description, example })

const rates = z.object({
  per_turn_usd: rate("Per turn. Null without turns.", 0.0193),
  per_million_usd: rate("Per million tokens of all kinds. Null without tokens.", 2.13),
  per_million_input_usd: rate("Per million input tokens that were not cached. Null without such tokens.", 3),
  per_million_cached_usd: rate("Per million cached input tokens. Null without such tokens.", 0.3),
  per_million_output_usd: rate("Per million output tokens. Null without such tokens.", 15),
})

const rated = {
  ...costs,
  cost: rates.meta({ description: "The rates of `cost_usd`." }),
  billed: rates.meta({ description: "The rates of `billed_cost_usd`." }),
}

export const costRatesSchema = z
  .object({
    ...envelope(always("day")),
    user_id: z.int().nullable().meta({ description: "The requested account. Null for all accounts.", example: 42 }),
    chat_key: z.string().nullable().meta({ description: "The requested chat. Null for all chats.", example: null }),
    total: z.object(rated),
    items: z
      .array(z.object({ date: z.iso.date().meta({ example: "2026-01-14" }), ...rated }))
      .meta({ description: "Every day of the range, the oldest first." }),
  })
  .meta({ id: "CostRatesReport" })

export type CostRates = z.infer<typeof costRatesSchema>

export interface CostRatesQuery extends ReportAsked {
  user_id?: number | undefined
  chat_key?: string | undefined
}

interface Day extends Costs {
  date: string
}

interface ModelDay extends Day {
  model: string
}

/**
 * Reports cost and bills per turn and per million tokens by day: of all accounts, one account or one chat. Sums are
 * divided among kinds of tokens by the prices of the day's models when the day began: costs by the provider's, bills by
 * ours. For one account or chat, the average prices of all calls in the range count.
 */
export async function reportCostRates(
  ctx: Context,
  credential: SessionCredential,
  { user_id, chat_key, ...asked }: CostRatesQuery,
): Promise<CostRates> {
  const now = ctx.clock.now()
  const range = { ...daysBetween(now, asked), brand: await reportedBrand(ctx, credential, asked) }
  const isOwn = user_id !== undefined || chat_key !== undefined
  const { rows } = await readAs(
    ctx,
    credential,
    (db) => {
      const models = db
        .selectFrom(modelDays(db, range).as("u"))
        .select(({ cast, ref }) => [cast<string>(ref("u.day"), "text").as("date"), "u.model", ...COST_SUMS])
        .groupBy(["u.day", "u.model"])
      const prices = db.selectFrom("model_catalog as c").select(priceColumns("c"))
      const former = db.selectFrom("former_prices as f").select(priceColumns("f")).select("f.until_at")
      return db
        .selectFrom("caller")
        .select([
          jsonArrayFrom(models).as("models"),
          jsonArrayFrom(prices).as("prices"),
          jsonArrayFrom(former.orderBy("f.until_at")).as("former"),
          isOwn ? jsonArrayFrom(ownDays(db, range, { user_id, chat_key })).as("own") : sql<Day[]>`'[]'::json`.as("own"),
        ])
    },
    { role: "admin" },
  )
  const { models = [], prices = [], former = [], own = [] } = rows[0] ?? {}
  const priceOn = pricesOf(prices, former)
  const weigh = (rows: readonly ModelDay[]) =>
    eachSide((side) => sumOfKinds(rows.map((row) => weightsAt(kindsOf(row), priceOn(row.model, row.date)[side]))))
  const byDate = Map.groupBy<string, ModelDay>(models, ({ date }) => date)
  const everybody = { sums: costsOf(models), weights: weigh(models) }
  const shown = new Map(own.map((row) => [row.date, row]))
  const average = eachSide((side) => averagePrices(everybody.sums, everybody.weights[side]))
  const rated = (sums: Costs, weights: Sides<TokenKinds>) =>
    serializeRated(sums, isOwn ? eachSide((side) => weightsAt(kindsOf(sums), average[side])) : weights)
  return {
    ...envelopeOf(now, range, "day"),
    user_id: user_id ?? null,
    chat_key: chat_key ?? null,
    total: rated(isOwn ? costsOf(own) : everybody.sums, everybody.weights),
    items: datesOf(range).map((date) => {
      const ofDay = byDate.get(date) ?? []
      const sums = isOwn ? (shown.get(date) ?? NO_COSTS) : costsOf(ofDay)
      return { date, ...rated(sums, weigh(ofDay)) }
    }),
  }
}

/** The usage of one account, one chat, or one chat of one account by day. Empty without a filter. */
function ownDays(
  db: QueryCreator<CallerDB>,
  range: Scope,
  { user_id, chat_key }: Pick<CostRatesQuery, "user_id" | "chat_key">,
) {
  const spaces = db
    .selectFrom("spaces as s")
    .select("s.space_id")
    .where("s.chat_key", "=", chat_key ?? "")
    .where((eb) => isOfBrand(eb.ref("s.user_id"), range.brand))
    .$if(user_id !== undefined, (query) => query.where("s.user_id", "=", user_id ?? 0))
  const days =
    chat_key === undefined
      ? db.selectFrom(userDays(db, range, user_id ?? 0).as("u"))
      : db.selectFrom(spaceDays(db, range, spaces).as("u"))
  return days
    .select(({ cast, ref }) => cast<string>(ref("u.day"), "text").as("date"))
    .select(COST_SUMS)
    .groupBy("u.day")
}

/** A value for what calls cost us, and one for what they were billed. */
interface Sides<Value> {
  cost: Value
  billed: Value
}

const eachSide = <Value>(of: (side: keyof Sides<Value>) => Value): Sides<Value> => ({
  cost: of("cost"),
  billed: of("billed"),
})

const priceColumns = <Alias extends "c" | "f">(alias: Alias) => [
  `${alias}.pin` as const,
  `${alias}.provider_prices` as const,
  ...PRICE_COLUMNS.map((column) => `${alias}.${column}` as const),
]

type PinPrice = Price & { pin: string; provider_prices: unknown }

/** The prices of a model when a day began. `former`: prices that counted until then, the oldest first. */
function pricesOf(prices: readonly PinPrice[], former: readonly (PinPrice & { until_at: string })[]) {
  const now = new Map(prices.map((price) => [price.pin, price]))
  const before = Map.groupBy(former, ({ pin }) => pin)
  return (model: string, date: string): Sides<Price> => {
    const begin = Date.parse(`${date}T00:00:00Z`)
    const then = before.get(model)?.find(({ until_at }) => Date.parse(until_at) > begin)
    const price = then ?? now.get(model) ?? FREE
    return { cost: providerPriceOf(price), billed: price }
  }
}

/** Average prices. Applied to all tokens of a kind, they give the weight of that kind. */
const averagePrices = (sums: Costs, weights: TokenKinds): Price => {
  const tokens = kindsOf(sums)
  return {
    ...FREE,
    price_input: ratio(weights.fresh, tokens.fresh) ?? 0,
    price_cached: ratio(weights.cached, tokens.cached) ?? 0,
    price_output: ratio(weights.output, tokens.output) ?? 0,
  }
}

function serializeRated(sums: Costs, weights: Sides<TokenKinds>) {
  const tokens = kindsOf(sums)
  const perMillion = (micros: number | undefined, count: number) =>
    micros === undefined || count === 0 ? null : (toUsd(micros) / count) * 1_000_000
  const ratesOf = (side: keyof Sides<TokenKinds>): z.infer<typeof rates> => {
    const micros = sums[side]
    const parts = sharesOf(micros, weights[side])
    return {
      per_turn_usd: ratio(toUsd(micros), sums.turns),
      per_million_usd: perMillion(micros, sums.tokens_input + sums.tokens_output),
      per_million_input_usd: perMillion(parts?.fresh, tokens.fresh),
      per_million_cached_usd: perMillion(parts?.cached, tokens.cached),
      per_million_output_usd: perMillion(parts?.output, tokens.output),
    }
  }
  return { ...serializeCosts(sums), cost: ratesOf("cost"), billed: ratesOf("billed") }
}

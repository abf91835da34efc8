import type { AliasableExpression, QueryCreator } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { type CallerDB, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { envelope, envelopeOf, wholeRange } from "./answer.ts"
import { type Costs, costs, costsOf, costsSchema, restOfCosts, serializeCosts } from "./costs.ts"
import { providerSpaceDays, providerSums } from "./families.ts"
import { procedureRows } from "./procedure-rows.ts"
import { type Range, rangeOfDates } from "./range.ts"
import { SPACE_COLUMNS, spaceFields } from "./space-names.ts"
import { COST_SUMS, RANKED_COSTS } from "./sums.ts"

/** Pairs of a provider and a space that are listed; `other` has the rest. */
const SHOWN = 100

const providerKey = z.string().meta({
  description:
    "The member of a pool that served the calls; else their provider, also for those that a user's plan paid for.",
  example: "anthropic-1",
})

export const providerSpacesSchema = z
  .object({
    ...envelope(wholeRange),
    subscription_id: z
      .string()
      .nullable()
      .meta({ description: "The `provider_key` that was asked for.", example: null }),
    chat_key: z.string().nullable().meta({ description: "The chat that was asked for.", example: null }),
    providers: z
      .array(z.object({ provider_key: providerKey, ...costs }))
      .meta({ description: "All of them, those that were billed most first." }),
    items: z
      .array(z.object({ provider_key: providerKey, ...spaceFields, ...costs }))
      .meta({ description: `Pairs of a provider and a space, those that were billed most first; at most ${SHOWN}.` }),
    other: costsSchema.meta({ description: "All other pairs together." }),
    total: costsSchema.meta({ description: "All pairs: the items and `other`." }),
  })
  .meta({ id: "SubscriptionSpaces" })

export type ProviderSpaces = z.infer<typeof providerSpacesSchema>

export interface ProviderSpacesQuery {
  days: number
  date_from?: string | undefined
  date_to?: string | undefined
  /** A `provider_key`. A plan's number is none: its calls are under their provider. */
  subscription_id?: string | undefined
  chat_key?: string | undefined
}

/** Which provider or pool's member served which space, and at what cost, for admins. VALIDATION_FAILED for an empty range. */
export async function reportProviderSpaces(
  ctx: Context,
  credential: SessionCredential,
  { subscription_id, chat_key, ...asked }: ProviderSpacesQuery,
): Promise<ProviderSpaces> {
  const now = ctx.clock.now()
  const range = rangeOfDates(now, asked)
  const filter = { key: subscription_id ?? null, chat_key }
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db
        .selectFrom("caller")
        .select([
          jsonArrayFrom(providersOf(db, range, filter)).as("providers"),
          jsonArrayFrom(pairsOf(db, range, filter)).as("items"),
        ]),
    { role: "admin" },
  )
  const { providers = [], items = [] } = rows[0] ?? {}
  const total = costsOf(providers)
  return {
    ...envelopeOf(now, range, null),
    subscription_id: subscription_id ?? null,
    chat_key: chat_key ?? null,
    providers: providers.map(({ provider_key, ...sums }) => ({ provider_key, ...serializeCosts(sums) })),
    items: items.map(({ provider_key, space_id, slug, chat_key, title, owner_id, ...sums }) => ({
      ...{ provider_key, space_id, slug, chat_key, title, owner_id },
      ...serializeCosts(sums),
    })),
    other: serializeCosts(restOfCosts(total, items)),
    total: serializeCosts(total),
  }
}

interface Pair extends Costs {
  provider_key: string
  space_id: number
}

interface Filter {
  key: string | null
  chat_key: string | undefined
}

function providersOf(db: QueryCreator<CallerDB>, range: Range, { key, chat_key }: Filter) {
  const days =
    chat_key === undefined
      ? db.selectFrom(providerSums(db, range).as("u"))
      : db.selectFrom(providerSpaceDays(db, range, chatOf(db, chat_key)).as("u"))
  return days
    .$if(key !== null, (query) => query.where("u.provider_key", "=", key ?? ""))
    .select(["u.provider_key", ...COST_SUMS])
    .groupBy("u.provider_key")
    .orderBy("billed", "desc")
    .orderBy("u.provider_key", (order) => order.collate("C"))
}

function pairsOf(db: QueryCreator<CallerDB>, range: Range, { key, chat_key }: Filter) {
  const pairs: AliasableExpression<Pair> =
    chat_key === undefined
      ? db
          .selectFrom(procedureRows("range_provider_spaces", { ...range, provider_key: key, limit: SHOWN }).as("r"))
          .select(["r.provider_key", "r.space_id", ...RANKED_COSTS])
      : db
          .selectFrom(providerSpaceDays(db, range, chatOf(db, chat_key)).as("u"))
          .$if(key !== null, (query) => query.where("u.provider_key", "=", key ?? ""))
          .select(["u.provider_key", "u.space_id", ...COST_SUMS])
          .groupBy(["u.provider_key", "u.space_id"])
  return db
    .selectFrom(pairs.as("p"))
    .innerJoin("spaces as s", "s.space_id", "p.space_id")
    .select(["p.provider_key", ...SPACE_COLUMNS])
    .select(["p.turns", "p.model_calls", "p.tokens_input", "p.tokens_cached", "p.tokens_output", "p.cost", "p.billed"])
    .orderBy("p.billed", "desc")
    .orderBy("p.provider_key", (order) => order.collate("C"))
    .orderBy("p.space_id")
}

const chatOf = (db: QueryCreator<CallerDB>, chatKey: string) =>
  db.selectFrom("spaces as s").select("s.space_id").where("s.chat_key", "=", chatKey)

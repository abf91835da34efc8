import { type Expression, type QueryCreator, sql } from "kysely"
import { jsonArrayFrom, jsonObjectFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { type CallerDB, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { type InParts, type ListPage, readInParts } from "../base/in-parts.ts"
import { LIST_POLICY } from "../base/policies.ts"
import { type DatesAsked, rangeOfDates } from "../base/report-range.ts"
import { isOneOf } from "../platform/one-of.ts"
import { envelope, envelopeOf, pageFields, wholeRange } from "./answer.ts"
import { isOfBrand, type ReportAsked, reportedBrand, type Scope } from "./brand.ts"
import { fromColumns } from "./columns.ts"
import { type Costs, costs, costsOf, costsSchema, restOfCosts, serializeCosts } from "./costs.ts"
import { providerSpaceDays, providerSums } from "./families.ts"
import { procedureRows } from "./procedure-rows.ts"
import { usedSpaces } from "./ranked-spaces.ts"
import { SPACE_COLUMNS, spaceFields } from "./space-names.ts"
import { COST_SUMS, RANKED_COSTS } from "./sums.ts"

const providerKey = z.string().meta({
  description:
    "The member of a pool that served the calls. Otherwise their provider, also for calls that a user's plan paid for.",
  example: "anthropic-1",
})

export const providerSpacesSchema = z
  .object({
    ...envelope(wholeRange),
    subscription_id: z
      .string()
      .nullable()
      .meta({ description: "The requested `provider_key`. Null for all.", example: null }),
    chat_key: z.string().nullable().meta({ description: "The requested chat. Null for all chats.", example: null }),
    providers: z
      .array(z.object({ provider_key: providerKey, ...costs }))
      .meta({ description: "All providers, the highest billed amount first." }),
    other: costsSchema.meta({ description: "The sum of the pairs on all other pages." }),
    total: costsSchema.meta({ description: "The sum of all pairs: the items and `other`." }),
    pairs: pageFields.total.meta({ description: "The number of pairs on all pages.", example: 212 }),
    limit: pageFields.limit,
    offset: pageFields.offset,
    items: z
      .array(z.object({ provider_key: providerKey, ...spaceFields, ...costs }))
      .meta({ description: "Pairs of a provider and a space, the highest billed amount first." }),
  })
  .meta({ id: "SubscriptionSpaces" })

export type ProviderSpaces = z.infer<typeof providerSpacesSchema>

export interface ProviderSpacesQuery extends ListPage, DatesAsked, ReportAsked {
  /** A `provider_key`. */
  subscription_id?: string | undefined
  chat_key?: string | undefined
}

type Item = ProviderSpaces["items"][number]

/**
 * Reports which provider or member of a pool served which space, and
 * at what cost, for admins. VALIDATION_FAILED for an empty range.
 */
export async function reportProviderSpaces(
  ctx: Context,
  credential: SessionCredential,
  { subscription_id, chat_key, limit, offset, ...asked }: ProviderSpacesQuery,
): Promise<InParts<Omit<ProviderSpaces, "items">, Item>> {
  const now = ctx.clock.now()
  const range = { ...rangeOfDates(now, asked), brand: await reportedBrand(ctx, credential, asked) }
  const filter = { key: subscription_id ?? null, chat_key }
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db
        .with(
          (cte) => cte("pairs").materialized(),
          (cte) => pairsOf(cte, range, filter),
        )
        .selectFrom("caller")
        .select((eb) => {
          const page = eb
            .selectFrom("pairs as p")
            .selectAll("p")
            .orderBy("p.billed", "desc")
            .orderBy("p.provider_key", (order) => order.collate("C"))
            .orderBy("p.space_id")
            .limit(limit)
            .offset(offset)
          return [
            jsonArrayFrom(providersOf(db, range, filter)).as("providers"),
            eb
              .selectFrom("pairs")
              .select((of) => of.fn.countAll<number>().as("pairs"))
              .as("pairs"),
            // As columns, the JSON has a third of the size that it would have as objects.
            jsonObjectFrom(
              eb
                .selectFrom(page.as("u"))
                .select(({ fn }) => PAIR.map((name) => fn.agg<never>("array_agg", [`u.${name}`]).as(name))),
            ).as("page"),
          ]
        }),
    { role: "admin" },
  )
  const { providers = [], pairs = 0, page } = rows[0] ?? {}
  const shown = fromColumns<Pair>((page ?? {}) as { [Name in keyof Pair]: Pair[Name][] })
  const total = costsOf(providers)
  return {
    head: {
      ...envelopeOf(now, range, null),
      subscription_id: subscription_id ?? null,
      chat_key: chat_key ?? null,
      providers: providers.map(({ provider_key, ...sums }) => ({ provider_key, ...serializeCosts(sums) })),
      other: serializeCosts(restOfCosts(total, shown)),
      total: serializeCosts(total),
      pairs: pairs ?? 0,
      limit,
      offset,
    },
    parts: readInParts(shown, LIST_POLICY.part, (part) => namePairs(ctx, credential, part)),
  }
}

async function namePairs(ctx: Context, credential: SessionCredential, pairs: Pair[]): Promise<Item[]> {
  const ids = [...new Set(pairs.map(({ space_id }) => space_id))]
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db
        .selectFrom("caller")
        .select((eb) =>
          jsonArrayFrom(eb.selectFrom("spaces as s").where(isOneOf("s.space_id", ids)).select(SPACE_COLUMNS)).as(
            "spaces",
          ),
        ),
    { role: "admin" },
  )
  const spaces = new Map((rows[0]?.spaces ?? []).map((space) => [space.space_id, space]))
  return pairs.flatMap(({ provider_key, space_id, ...sums }) => {
    const space = spaces.get(space_id)
    return space ? { provider_key, ...space, ...serializeCosts(sums) } : []
  })
}

interface Pair extends Costs {
  provider_key: string
  space_id: number
}

const PAIR = [
  ...(["provider_key", "space_id", "turns", "model_calls", "tokens_input", "tokens_cached"] as const),
  ...(["tokens_output", "billed", "refunded", "cost"] as const),
]

interface Filter {
  key: string | null
  chat_key: string | undefined
}

function providersOf(db: QueryCreator<CallerDB>, range: Scope, { key, chat_key }: Filter) {
  const days =
    chat_key === undefined
      ? db.selectFrom(providerSums(db, range).as("u"))
      : db.selectFrom(providerSpaceDays(db, range, chatOf(db, range, chat_key)).as("u"))
  return days
    .$if(key !== null, (query) => query.where("u.provider_key", "=", key ?? ""))
    .select(["u.provider_key", ...COST_SUMS])
    .groupBy("u.provider_key")
    .orderBy("billed", "desc")
    .orderBy("u.provider_key", (order) => order.collate("C"))
}

/** All pairs of the filter that were used, in any order. */
function pairsOf(db: QueryCreator<CallerDB>, range: Scope, { key, chat_key }: Filter): Expression<Pair> {
  if (chat_key === undefined) {
    const space_ids = sql<number[]>`array(${usedSpaces(db, range).clearSelect().select("r.space_id")})`
    return db
      .selectFrom(procedureRows("pairs_of_spaces", { ...range, space_ids }).as("r"))
      .$if(key !== null, (query) => query.where("r.provider_key", "=", key ?? ""))
      .select(["r.provider_key", "r.space_id", ...RANKED_COSTS])
  }
  return db
    .selectFrom(providerSpaceDays(db, range, chatOf(db, range, chat_key)).as("u"))
    .$if(key !== null, (query) => query.where("u.provider_key", "=", key ?? ""))
    .select(["u.provider_key", "u.space_id", ...COST_SUMS])
    .groupBy(["u.provider_key", "u.space_id"])
}

const chatOf = (db: QueryCreator<CallerDB>, { brand }: Scope, chatKey: string) =>
  db
    .selectFrom("spaces as s")
    .select("s.space_id")
    .where("s.chat_key", "=", chatKey)
    .where((eb) => isOfBrand(eb.ref("s.user_id"), brand))

import {
  type Expression,
  type ExpressionBuilder,
  expressionBuilder,
  type QueryCreator,
  type SqlBool,
  sql,
} from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import type { Credential, SessionCredential } from "../actor/actor.ts"
import { type CallerDB, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { type CreatedFilters, createdBetween, decodeCursor, type Page, toPage } from "../base/pagination.ts"
import type { DB } from "../platform/db-types.ts"
import { turnNotFound } from "../turns/get-turn.ts"
import { visibleTurn } from "../turns/visible-turn.ts"
import { type DeliveryRow, deliveryNotFound } from "./delivery-row.ts"
import { endpointInScope, webhookNotFound } from "./endpoint-row.ts"
import { WEBHOOK_POLICY } from "./policies.ts"
import type { Delivery } from "./schemas.ts"

export interface DeliveryFilters extends CreatedFilters {
  state?: Delivery["state"] | undefined
  event_type?: string | undefined
  turn?: string | undefined
}

/** The most attempts that one delivery shows. Few deliveries are sent again that often. */
const ALL_ATTEMPTS = 1000

/** Lists an endpoint's deliveries, newest event first. Throws NOT_FOUND for an endpoint outside the caller's scope. */
export async function listDeliveries(
  ctx: Context,
  credential: Credential,
  input: { webhookId: string; filters: DeliveryFilters; limit: number; cursor?: string | undefined },
): Promise<Page<DeliveryRow>> {
  const { webhookId, limit } = input
  const filters = { deliveries_of: webhookId, ...input.filters }
  const after = decodeCursor(input.cursor, filters)
  const { rows } = await readAs(ctx, credential, (db) =>
    endpointOf(db, webhookId).select((eb) =>
      jsonArrayFrom(deliveryPage(eb, input.filters, { limit: limit + 1, offset: 0, after })).as("deliveries"),
    ),
  )
  if (!rows[0]) throw webhookNotFound(webhookId)
  const deliveries = rows[0].deliveries as DeliveryRow[]
  return toPage(deliveries.slice(0, limit), {
    more: deliveries.length > limit,
    filters,
    idOf: (delivery) => delivery.delivery_id,
  })
}

/** Lists deliveries by offset instead of by cursor, with the total. */
export async function findDeliveries(
  ctx: Context,
  credential: SessionCredential,
  input: { webhookId: string; filters: DeliveryFilters; limit: number; offset: number },
): Promise<{ deliveries: DeliveryRow[]; total: number }> {
  const { rows } = await readAs(ctx, credential, (db) =>
    endpointOf(db, input.webhookId).select((eb) => [
      jsonArrayFrom(deliveryPage(eb, input.filters, input)).as("deliveries"),
      deliveries(eb, input.filters)
        .select((sub) => sub.cast<number>(sub.fn.countAll(), "integer").as("total"))
        .as("total"),
    ]),
  )
  if (!rows[0]) throw webhookNotFound(input.webhookId)
  return rows[0] as { deliveries: DeliveryRow[]; total: number }
}

/**
 * Lists the deliveries of a turn's events to all endpoints that the caller may use, newest first,
 * with the total. Throws NOT_FOUND.
 */
export async function findTurnDeliveries(
  ctx: Context,
  credential: SessionCredential,
  { turnId, limit, offset }: { turnId: string; limit: number; offset: number },
): Promise<{ deliveries: DeliveryRow[]; total: number }> {
  const { rows } = await readAs(ctx, credential, (db) =>
    visibleTurn(db, turnId).select((turn) => {
      const matching = turn
        .selectFrom("webhook_deliveries as d")
        .innerJoin("webhook_endpoints as w", "w.webhook_id", "d.webhook_id")
        .innerJoin("events as e", (join) => join.on(isItsEvent))
        .whereRef("d.turn_id", "=", "t.turn_id")
        .where(endpointInScope)
      const page = matching
        .selectAll("d")
        .select((eb) => ["e.type as event_type", attemptsOf(eb, WEBHOOK_POLICY.attemptsListed).as("attempts_made")])
        .orderBy((eb) => sql`${eb.ref("d.delivery_id")} collate "C"`, "desc")
        .limit(limit)
        .offset(offset)
      return [
        jsonArrayFrom(page).as("deliveries"),
        matching.select((eb) => eb.cast<number>(eb.fn.countAll(), "integer").as("total")).as("total"),
      ]
    }),
  )
  if (!rows[0]) throw turnNotFound(turnId)
  return rows[0] as { deliveries: DeliveryRow[]; total: number }
}

/** Returns a delivery with all its attempts. Throws NOT_FOUND. */
export async function getDelivery(ctx: Context, credential: Credential, deliveryId: string): Promise<DeliveryRow> {
  const { rows } = await readAs(ctx, credential, (db) =>
    db
      .selectFrom("webhook_deliveries as d")
      .innerJoin("webhook_endpoints as w", "w.webhook_id", "d.webhook_id")
      .innerJoin("events as e", (join) => join.on(isItsEvent))
      .innerJoin("caller", (join) => join.onTrue())
      .where("d.delivery_id", "=", deliveryId)
      .where(endpointInScope)
      .selectAll("d")
      .select((eb) => ["e.type as event_type", attemptsOf(eb, ALL_ATTEMPTS).as("attempts_made")]),
  )
  if (!rows[0]) throw deliveryNotFound(deliveryId)
  return rows[0] as DeliveryRow
}

const endpointOf = (db: QueryCreator<CallerDB>, webhookId: string) =>
  db
    .selectFrom("webhook_endpoints as w")
    .innerJoin("caller", (join) => join.onTrue())
    .where("w.webhook_id", "=", webhookId)
    .where(endpointInScope)

type OfEndpoint = CallerDB & { w: DB["webhook_endpoints"] }
type OfDelivery = CallerDB & { d: DB["webhook_deliveries"] }

type OfEvent = OfEndpoint & OfDelivery & { e: DB["events"] }
const joined: ExpressionBuilder<OfEvent, "d" | "w" | "e"> = expressionBuilder()

/** The event `e` of the delivery `d`, in the account of its endpoint `w`. */
const isItsEvent = joined.and([
  joined("e.user_id", "=", joined.ref("w.user_id")),
  joined("e.test", "=", joined.ref("w.test")),
  joined(sql<string>`${joined.ref("e.event_id")} collate "C"`, "=", joined.ref("d.event_id")),
])

/** The deliveries `d` of the endpoint `w`, with their events `e`. */
function deliveries(eb: ExpressionBuilder<OfEndpoint, "w">, { state, event_type, turn, ...created }: DeliveryFilters) {
  return eb
    .selectFrom("webhook_deliveries as d")
    .innerJoin("events as e", (join) => join.on(isItsEvent))
    .whereRef("d.webhook_id", "=", "w.webhook_id")
    .where((sub) => sub.and(createdBetween("delivery", [sub.ref("d.delivery_id"), sub.ref("d.created_at")], created)))
    .$if(state !== undefined, (query) => query.where("d.state", "=", state as string))
    .$if(event_type !== undefined, (query) => query.where("e.type", "=", event_type as string))
    .$if(turn !== undefined, (query) => query.where("d.turn_id", "=", turn as string))
}

function deliveryPage(
  eb: ExpressionBuilder<OfEndpoint, "w">,
  filters: DeliveryFilters,
  { limit, offset, after }: { limit: number; offset: number; after?: string | undefined },
) {
  return deliveries(eb, filters)
    .$if(after !== undefined, (query) =>
      query.where((sub): Expression<SqlBool> => sql`${sub.ref("d.delivery_id")} collate "C" < ${after}`),
    )
    .selectAll("d")
    .select((sub) => ["e.type as event_type", attemptsOf(sub, WEBHOOK_POLICY.attemptsListed).as("attempts_made")])
    .orderBy((sub) => sql`${sub.ref("d.delivery_id")} collate "C"`, "desc")
    .limit(limit)
    .offset(offset)
}

/** The newest `most` attempts of a delivery `d`, oldest first. */
function attemptsOf(eb: ExpressionBuilder<OfDelivery, "d">, most: number) {
  return jsonArrayFrom(
    eb
      .selectFrom((sub) =>
        sub
          .selectFrom("webhook_attempts as a")
          .selectAll("a")
          .whereRef("a.delivery_id", "=", "d.delivery_id")
          .orderBy("a.attempt", "desc")
          .limit(most)
          .as("newest"),
      )
      .selectAll("newest")
      .orderBy("newest.attempt"),
  )
}

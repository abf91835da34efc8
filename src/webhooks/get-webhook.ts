import { createHash } from "node:crypto"
import { type ExpressionBuilder, type QueryCreator, sql } from "kysely"
import { jsonArrayFrom, jsonObjectFrom } from "kysely/helpers/postgres"
import type * as z from "zod"
import type { Credential, SessionCredential } from "../actor/actor.ts"
import { type CallerDB, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { keyReused } from "../actor/once.ts"
import { storedRow } from "../base/casts.ts"
import { type CreatedFilters, createdBetween, decodeCursor, type Page, toPage } from "../base/pagination.ts"
import type { DB } from "../platform/db-types.ts"
import { type EndpointRow, endpointInScope, webhookNotFound } from "./endpoint-row.ts"
import type { webhookHealthSchema } from "./health-schema.ts"
import { WEBHOOK_POLICY } from "./policies.ts"
import { openSigningSecrets } from "./signing.ts"

/** The endpoints `w` that the caller may use. */
const inScope = (db: QueryCreator<CallerDB>) =>
  db
    .selectFrom("webhook_endpoints as w")
    .innerJoin("caller", (join) => join.onTrue())
    .where(endpointInScope)

const newestFirst = (db: QueryCreator<CallerDB>) =>
  inScope(db)
    .selectAll("w")
    .orderBy((eb) => sql`${eb.ref("w.webhook_id")} collate "C"`, "desc")

/** Returns an endpoint in the caller's scope. Throws NOT_FOUND. */
export async function getWebhook(ctx: Context, credential: Credential, webhookId: string): Promise<EndpointRow> {
  const { rows } = await readAs(ctx, credential, (db) =>
    inScope(db).where("w.webhook_id", "=", webhookId).selectAll("w"),
  )
  if (!rows[0]) throw webhookNotFound(webhookId)
  return rows[0] as EndpointRow
}

export interface WebhookWithSecret {
  webhook: EndpointRow
  secret: string
}

/**
 * The id stored under the Idempotency-Key of a request that shows a secret: the endpoint, and a
 * hash of the shown secret.
 */
export const shownAs = (webhookId: string, secret: string) =>
  `${webhookId}/${createHash("sha256").update(secret).digest("hex").slice(0, 32)}`

/**
 * Returns an endpoint with its secret, for a repeat of the request that showed it (`shownAs`). Throws
 * NOT_FOUND, or IDEMPOTENCY_KEY_REUSED if the secret was rotated since: a repeat never shows a newer one.
 */
export async function readWithSecret(ctx: Context, credential: Credential, shown: string): Promise<WebhookWithSecret> {
  const webhook = await getWebhook(ctx, credential, shown.split("/")[0] as string)
  const [secret = ""] = await openSigningSecrets(ctx, webhook.webhook_id, [webhook.secret])
  if (shown.includes("/") && shown !== shownAs(webhook.webhook_id, secret)) {
    throw keyReused("The webhook's secret was rotated since this Idempotency-Key was used.")
  }
  return { webhook, secret }
}

type Health = z.infer<typeof webhookHealthSchema>

/** The results of the newest deliveries of an endpoint `w`, which the index of its deliveries has in this order. */
function healthOf(eb: ExpressionBuilder<CallerDB & { w: DB["webhook_endpoints"] }, "w">) {
  const newest = eb
    .selectFrom("webhook_deliveries as d")
    .whereRef("d.webhook_id", "=", "w.webhook_id")
    .select(["d.state", "d.attempts"])
    .orderBy((sub) => sql`${sub.ref("d.delivery_id")} collate "C"`, "desc")
    .limit(WEBHOOK_POLICY.healthDeliveries)
  const health = eb
    .selectFrom(newest.as("n"))
    .where("n.attempts", ">", 0)
    .select(({ fn }) => {
      const count = (state: string) => fn.countAll<number>().filterWhere("n.state", "=", state)
      return [
        fn.countAll<number>().as("attempted"),
        count("delivered").as("delivered"),
        count("failed").as("failed"),
        count("pending").as("retrying"),
      ]
    })
  return jsonObjectFrom(health).$notNull()
}

/** Lists endpoints by offset instead of by cursor, with the total and the results of their newest deliveries. */
export async function findWebhooks(
  ctx: Context,
  credential: SessionCredential,
  { failing, limit, offset }: { failing?: boolean | undefined; limit: number; offset: number },
): Promise<{ webhooks: (EndpointRow & { health: Health })[]; total: number }> {
  const { rows } = await readAs(ctx, credential, (db) => {
    const wanted = (failing: boolean | undefined) =>
      inScope(db).$if(failing !== undefined, (query) =>
        query.where("w.disabled_at", "is", null).where((eb) => {
          // A webhook that has not answered its ping yet is pending: its receiver may not run yet.
          const fails = eb.and([eb("w.failing_since", "is not", null), eb("w.verified_at", "is not", null)])
          return failing ? fails : eb.not(fails)
        }),
      )
    return db.selectNoFrom([
      wanted(failing)
        .select((eb) => eb.cast<number>(eb.fn.countAll(), "integer").as("total"))
        .as("total"),
      jsonArrayFrom(
        wanted(failing)
          .selectAll("w")
          .select((eb) => healthOf(eb).as("health"))
          .orderBy((eb) => sql`${eb.ref("w.webhook_id")} collate "C"`, "desc")
          .limit(limit)
          .offset(offset),
      ).as("webhooks"),
    ])
  })
  return storedRow<{ webhooks: (EndpointRow & { health: Health })[]; total: number }>(rows[0])
}

/** The results of the newest deliveries of an endpoint. Throws NOT_FOUND. */
export async function getWebhookHealth(
  ctx: Context,
  credential: SessionCredential,
  webhookId: string,
): Promise<Health> {
  const { rows } = await readAs(ctx, credential, (db) =>
    inScope(db)
      .where("w.webhook_id", "=", webhookId)
      .select((eb) => healthOf(eb).as("health")),
  )
  if (!rows[0]) throw webhookNotFound(webhookId)
  return rows[0].health as Health
}

/** Lists the endpoints in the caller's scope, newest first. */
export async function listWebhooks(
  ctx: Context,
  credential: Credential,
  { limit, cursor, ...created }: { limit: number; cursor?: string | undefined } & CreatedFilters,
): Promise<Page<EndpointRow>> {
  const filters = { list: "webhooks", ...created }
  const after = decodeCursor(cursor, filters)
  const { rows } = await readAs(ctx, credential, (db) =>
    newestFirst(db)
      .where((eb) => eb.and(createdBetween("webhook", [eb.ref("w.webhook_id"), eb.ref("w.created_at")], created)))
      .$if(after !== undefined, (query) =>
        query.where((eb) => sql<boolean>`${eb.ref("w.webhook_id")} collate "C" < ${after}`),
      )
      .limit(limit + 1),
  )
  return toPage(rows.slice(0, limit) as EndpointRow[], {
    more: rows.length > limit,
    filters,
    idOf: (webhook) => webhook.webhook_id,
  })
}

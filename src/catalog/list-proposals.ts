import type { SessionCredential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context, SystemContext } from "../actor/context.ts"
import { type CatalogPrices, compareWithFeed } from "./compare-feed.ts"
import { pricesBefore } from "./planned-prices.ts"
import { releasedFeed } from "./price-feed.ts"
import type { Proposals } from "./proposal-schemas.ts"

/** Compares the catalog with the price feed of this release, for admins. Changes nothing. */
export async function listProposals(ctx: Context, credential: SessionCredential): Promise<Proposals> {
  const now = ctx.clock.now()
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db
        .selectFrom("model_catalog as c")
        .innerJoin("caller", (join) => join.onTrue())
        .selectAll("c")
        .select(pricesBefore(now).as("former"))
        .orderBy("c.sort_order")
        .orderBy("c.pin"),
    { role: "admin" },
  )
  return compareWithFeed(rows, releasedFeed(), now)
}

/** The rows of the catalog that a comparison needs, for the service itself. */
export async function readCatalogPrices({ db, clock }: Pick<SystemContext, "db" | "clock">): Promise<CatalogPrices[]> {
  return await db
    .selectFrom("model_catalog as c")
    .selectAll("c")
    .select(pricesBefore(clock.now()).as("former"))
    .orderBy("c.sort_order")
    .orderBy("c.pin")
    .execute()
}

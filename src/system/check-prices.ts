import { createHash } from "node:crypto"
import type { Context } from "../actor/context.ts"
import { compareWithFeed } from "../catalog/compare-feed.ts"
import { readCatalogPrices } from "../catalog/list-proposals.ts"
import { PRICE_FEED_POLICY } from "../catalog/policies.ts"
import { FEED_VERSION, releasedFeed } from "../catalog/price-feed.ts"
import type { ComparedModel } from "../catalog/proposal-schemas.ts"
import { callOne } from "../platform/db.ts"
import { HEALTH_POLICY } from "./policies.ts"

/**
 * Compares enabled models with the price feed once a week, and when a release has another feed. Operators are told of
 * each set of findings once. Changes no price.
 */
export async function sweepPrices(ctx: Context): Promise<{ findings: number }> {
  const now = ctx.clock.now()
  const last = await ctx.db.selectFrom("price_checks").select(["checked_at", "feed"]).executeTakeFirst()
  const dueAt = (last?.checked_at.getTime() ?? 0) + PRICE_FEED_POLICY.checkEveryMs
  if (last?.feed === FEED_VERSION && dueAt > now.getTime()) return { findings: 0 }
  const { items } = compareWithFeed(await readCatalogPrices(ctx), releasedFeed(), now)
  const models = items.filter(({ enabled, findings }) => enabled && findings.length > 0)
  const texts = models.flatMap(({ pin, findings }) => findings.map(({ text }) => `${pin} ${text}`))
  await callOne(ctx.db, "note_price_check", {
    feed: FEED_VERSION,
    digest: createHash("sha256").update(texts.join("\n")).digest("hex"),
    message: models.length > 0 ? messageOf(models, texts.length) : null,
    // An alert is told if it has lasted for a while, and this one must not wait.
    since: new Date(now.getTime() - HEALTH_POLICY.alertAfterMs),
    moment: now,
  })
  return { findings: texts.length }
}

function messageOf(models: readonly ComparedModel[], findings: number): string {
  const named = models.slice(0, PRICE_FEED_POLICY.mostNamed).map(({ pin }) => pin)
  const more = models.length - named.length
  const names = `${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`
  return `The price feed has findings (${findings}) for enabled models (${models.length}): ${names}. See the page Models.`
}

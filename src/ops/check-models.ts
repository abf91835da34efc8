import type { SystemContext } from "../actor/context.ts"
import { plainJson } from "../base/plain-json.ts"
import { compareWithFeed } from "../catalog/compare-feed.ts"
import { readCatalogPrices } from "../catalog/list-proposals.ts"
import { releasedFeed } from "../catalog/price-feed.ts"
import type { ComparedModel, Proposals } from "../catalog/proposal-schemas.ts"

/** Compares the catalog with the price feed of this release, without a network. Returns a report. */
export async function checkModels(
  ctx: SystemContext,
  { json }: { json: boolean },
): Promise<{ report: string; hasFindings: boolean }> {
  const compared = compareWithFeed(await readCatalogPrices(ctx), releasedFeed(), ctx.clock.now())
  return { report: json ? plainJson(compared, 2) : reportOf(compared), hasFindings: compared.finding_count > 0 }
}

function reportOf({ feed, items, finding_count }: Proposals): string {
  const width = Math.max(0, ...items.map(({ pin }) => pin.length))
  const data = `Prices of ${feed.package} ${feed.version}, published on ${feed.published_on}, ${feed.age_days} days ago.`
  const sum = `${items.length} models compared, ${finding_count} findings. Nothing was changed.`
  return [data, "", ...items.flatMap((model) => linesOf(model, width)), "", sum].join("\n")
}

function linesOf({ pin, findings, not_compared }: ComparedModel, width: number): string[] {
  const left = not_compared.length > 0 ? [`not compared: ${not_compared.join(", ")}`] : []
  const texts = [...findings.map(({ text }) => text), ...left]
  return (texts.length > 0 ? texts : ["equal"]).map((text, at) => `${(at === 0 ? pin : "").padEnd(width)}  ${text}`)
}

import { storedRow } from "../base/casts.ts"
import { noteLostPicture } from "../billing/losses.ts"
import type { ProviderPrices } from "../catalog/provider-prices.ts"
import type { Painting, SetAside } from "../tools/image-tool.ts"
import { OutputNames } from "../tools/picture-name.ts"
import type { ModelRow } from "./claim-turns.ts"
import { growHold } from "./grow-hold.ts"
import type { Run } from "./run.ts"
import { RunEnd } from "./run-end.ts"

/** The image model of a turn, paid from its hold; null without one. Test turns rehearse with their own model. */
export function paintingOf(run: Run, own: ModelRow): Painting | null {
  const model = run.turn.test ? own : run.claim.image_model
  if (!model) return null
  const priceImage = model.price_image ?? 0
  const listed = storedRow<ProviderPrices | null>(model.provider_prices)
  return {
    model: { ...model, price_image: priceImage, providerCost: listed?.price_image ?? priceImage },
    names: new OutputNames(),
    setAside: (micros) => setAside(run, micros),
  }
}

/**
 * Reserves a price from the hold, which grows if it is too small. Null if it
 * cannot grow that far. Ends the run if the epoch is stale.
 */
async function setAside(run: Run, micros: number): Promise<SetAside | null> {
  while (run.budget.left < micros) {
    const grown = await growHold(
      run.ctx,
      { ...run.turn, hold_credit_micros: run.budget.hold },
      micros - run.budget.left,
    )
    if (grown === null) throw new RunEnd({ kind: "stale" })
    run.budget.hold = Math.max(run.budget.hold, grown.hold)
    // The hold grew far enough, but a parallel call has taken the amount: try again.
    if (run.budget.left >= micros || grown.boundBy === null) continue
    if (!run.budget.isReserved) return null
    await run.budget.freed()
  }
  const release = run.budget.reserve(micros)
  return {
    spend() {
      run.budget.cost += micros
      release()
    },
    async giveBack({ lost }) {
      release()
      if (lost) await noteLostPicture(run.ctx, run.turn, { fileId: null, cause: "unfinished", micros })
    },
  }
}

import { noteLostPicture } from "../billing/losses.ts"
import type { Painting, SetAside } from "../tools/image-tool.ts"
import { OutputNames } from "../tools/picture-name.ts"
import type { ModelRow } from "./claim-turn.ts"
import { growHold } from "./grow-hold.ts"
import { type Run, RunEnd } from "./run.ts"

/** What a turn's pictures are made by, paid from its hold. Test turns rehearse them by their own model. Null when there is none. */
export function paintingOf(run: Run, own: ModelRow): Painting | null {
  const model = run.turn.test ? own : run.claim.image_model
  if (!model) return null
  return {
    model: { ...model, price_image: model.price_image ?? 0 },
    names: new OutputNames(),
    setAside: (micros) => setAside(run, micros),
  }
}

/**
 * Sets a price aside from the hold, which grows when it is too small. Null when it cannot grow so far. Ends the run when the epoch is
 * stale.
 */
async function setAside(run: Run, micros: number): Promise<SetAside | null> {
  while (run.left < micros) {
    const grown = await growHold(run.ctx, { ...run.turn, hold_credit_micros: run.hold }, micros - run.left)
    if (grown === null) throw new RunEnd({ kind: "stale" })
    run.hold = Math.max(run.hold, grown.hold)
    // Without a bound it grew far enough, and a call beside this one has taken it: once more.
    if (run.left >= micros || grown.boundBy === null) continue
    if (!run.somethingReserved) return null
    await run.freed()
  }
  const release = run.reserve(micros)
  return {
    spend() {
      run.cost += micros
      release()
    },
    async giveBack({ lost }) {
      release()
      if (lost) await noteLostPicture(run.ctx, run.turn, { fileId: null, cause: "unfinished", micros })
    },
  }
}

import { TurnpikeError } from "../base/errors.ts"
import { serializeWaiting, type TurnRow } from "../turns/turn-row.ts"

/** The error of a request whose turn waits: there is no reply yet. */
export function turnWaiting({ turn_id, waiting, waits_behind = null }: TurnRow): TurnpikeError {
  const shown = waiting && serializeWaiting(waiting)
  const calls = shown?.calls.map(({ call, tool, for: what }) => `${NAMES[what]} of the call ${call} of \`${tool}\``)
  const reason = shown?.limit ? `the limit \`${shown.limit.kind}\`` : calls?.join(", ")
  return new TurnpikeError(
    "TURN_WAITING",
    `The turn ${turn_id} waits for ${reason ?? `the earlier turn ${waits_behind}`}.`,
    {
      details: { turn_id, waiting: shown, waits_behind },
    },
  )
}

const NAMES = { approval: "a decision", result: "the result" } as const

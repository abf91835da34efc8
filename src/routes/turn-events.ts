import type { Credential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { eventStream } from "../http/event-stream.ts"
import { untilClientLeaves } from "../http/text-stream.ts"
import { followTurnEvents } from "../turns/follow-events.ts"
import type { OwnPushes } from "../turns/pushes.ts"
import { type Position, parsePosition } from "../turns/shown-text.ts"
import { serializeTurnEvent } from "../turns/turn-event.ts"

export function acceptsEventStream(accept = ""): boolean {
  return accept.split(",").some((type) => type.split(";")[0]?.trim().toLowerCase() === "text/event-stream")
}

export function parseLastEventId(header: string | undefined): Position | undefined {
  if (header === undefined || header === "") return undefined
  const position = parsePosition(header)
  if (position) return position
  throw new TurnpikeError("VALIDATION_FAILED", "Last-Event-ID: must be the id of an event of the stream", {
    param: "Last-Event-ID",
  })
}

interface StreamedTurn {
  turnId: string
  after: Position
  signal: AbortSignal
  own?: OwnPushes | null
  /** This request has sent the turn. */
  wasSent?: boolean
}

/**
 * A turn's events after a position as server-sent events, until `signal` aborts or the client cancels the body.
 * Returns 204 if the turn has ended and the client has all events: an EventSource then does not reconnect (WHATWG
 * HTML, 9.2.3).
 */
export async function streamTurnEvents(
  ctx: Context,
  credential: Credential,
  { turnId, after, signal, own, wasSent }: StreamedTurn,
): Promise<Response> {
  const client = untilClientLeaves(signal)
  const rows = await followTurnEvents(ctx, credential, { turnId, after, signal: client.signal, own, wasSent })
  if (rows === null) return new Response(null, { status: 204 })
  const batches = (async function* () {
    for await (const batch of rows) yield batch.map((row) => ({ id: row.position, event: serializeTurnEvent(row) }))
  })()
  return eventStream(batches, { log: ctx.log, clock: ctx.clock, onCancel: client.onCancel })
}

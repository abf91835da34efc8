import { anthropicError } from "../base/anthropic-error.ts"
import { streamFailure } from "../base/dialects.ts"
import { TurnpikeError } from "../base/errors.ts"
import { requireReply } from "../dialects/reply.ts"
import { sseEvent } from "../dialects/sse.ts"
import { turnOfAnswer } from "../dialects/turn-of-answer.ts"
import type { TextPiece } from "../dialects/turn-text.ts"
import { describeError, type Log } from "../platform/log.ts"
import type { TurnRow } from "../turns/turn-row.ts"
import { callBlocksOf, endingOf, headOf, messageUsageOf, textBlock } from "./message-object.ts"

interface Streamed {
  /** The turn as it was when the stream began. */
  turn: TurnRow
  requestId: string
  log: Log
}

const event = (type: string, fields: object = {}) => sseEvent(type, { type, ...fields })

/**
 * The events of a streamed message. Text before calls of the space's own tools is a block of its own, and so is void
 * text of a lost worker: the last block of text is the reply. A failed turn ends the stream with an error.
 */
export async function* streamMessage(
  pieces: AsyncGenerator<TextPiece>,
  { turn, requestId, log }: Streamed,
): AsyncGenerator<string> {
  let index = 0
  let isOpen = false
  const close = () => {
    if (!isOpen) return ""
    isOpen = false
    return event("content_block_stop", { index: index++ })
  }
  const open = (block: object) => event("content_block_start", { index, content_block: block })
  const delta = (fields: object) => event("content_block_delta", { index, delta: fields })
  const begun = { ...headOf(turn), content: [], stop_reason: null, stop_sequence: null }
  try {
    // Tokens are counted at the end.
    const usage = messageUsageOf({
      ...turn,
      tokens_input: 0,
      tokens_cached: 0,
      tokens_cache_written: 0,
      tokens_output: 0,
    })
    yield event("message_start", { message: { ...begun, usage } }) + event("ping")
    for await (const piece of pieces) {
      if (piece.kind === "quiet") yield event("ping")
      else if (piece.kind === "waits") {
        yield event("ping", { turn: turnOfAnswer({ ...turn, state: "running", waiting: piece.waiting }) })
      } else if (piece.kind === "behind") yield event("ping", { turn: turnOfAnswer(piece.turn) })
      else if (piece.kind === "closed") yield close()
      else if (piece.kind === "delta") {
        const opening = isOpen ? "" : open(textBlock(""))
        isOpen = true
        yield opening + delta({ type: "text_delta", text: piece.text })
      } else if (piece.kind === "ended") {
        yield close()
        requireReply(piece.turn)
        for (const { input, ...call } of callBlocksOf(piece.turn)) {
          yield open({ ...call, input: {} }) + delta({ type: "input_json_delta", partial_json: JSON.stringify(input) })
          yield event("content_block_stop", { index: index++ })
        }
        const ended = { delta: endingOf(piece.turn), usage: messageUsageOf(piece.turn), turn: turnOfAnswer(piece.turn) }
        yield event("message_delta", ended) + event("message_stop")
      }
    }
  } catch (error) {
    if (!(error instanceof TurnpikeError)) log("error", "stream.broken", { error: describeError(error) })
    yield sseEvent("error", anthropicError(streamFailure(error), requestId))
  } finally {
    await pieces.return(undefined)
  }
}

import { streamFailure } from "../base/dialects.ts"
import { TurnpikeError } from "../base/errors.ts"
import { openAiError } from "../base/openai-error.ts"
import { requireReply } from "../dialects/reply.ts"
import { sseComment, sseData } from "../dialects/sse.ts"
import { turnOfAnswer } from "../dialects/turn-of-answer.ts"
import type { TextPiece } from "../dialects/turn-text.ts"
import { describeError, type Log } from "../platform/log.ts"
import type { TurnRow } from "../turns/turn-row.ts"
import { chatCallsOf, chatUsageOf, chunkOf, finishReasonOf } from "./chat-completion-object.ts"

/** Text of an earlier step and the reply are paragraphs of one message. */
const NEXT_PARAGRAPH = "\n\n"

/** The chunks of a streamed chat completion, then `[DONE]`. A failed turn ends the stream with an error instead. */
export async function* streamChatCompletion(
  pieces: AsyncGenerator<TextPiece>,
  { turn, includesUsage, log }: { turn: TurnRow; includesUsage: boolean; log: Log },
): AsyncGenerator<string> {
  const usage = includesUsage ? { usage: null } : {}
  const chunk = (delta: object, finish: string | null = null, more: object = {}) =>
    sseData(chunkOf(turn, { choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }], ...usage, ...more }))
  let paragraph = ""
  try {
    yield chunk({ role: "assistant", content: "", refusal: null })
    for await (const piece of pieces) {
      if (piece.kind === "quiet") yield sseComment("still here")
      else if (piece.kind === "waits") {
        yield chunk({}, null, { turn: turnOfAnswer({ ...turn, state: "running", waiting: piece.waiting }) })
      } else if (piece.kind === "behind") yield chunk({}, null, { turn: turnOfAnswer(piece.turn) })
      else if (piece.kind === "closed") paragraph = NEXT_PARAGRAPH
      else if (piece.kind === "delta") {
        yield chunk({ content: paragraph + piece.text })
        paragraph = ""
      } else if (piece.kind === "ended") {
        requireReply(piece.turn)
        for (const [index, call] of chatCallsOf(piece.turn).entries()) yield chunk({ tool_calls: [{ index, ...call }] })
        yield chunk({}, finishReasonOf(piece.turn), { turn: turnOfAnswer(piece.turn) })
        if (includesUsage) yield sseData(chunkOf(turn, { choices: [], usage: chatUsageOf(piece.turn) }))
        yield "data: [DONE]\n\n"
      }
    }
  } catch (error) {
    if (!(error instanceof TurnpikeError)) log("error", "stream.broken", { error: describeError(error) })
    yield sseData({ error: openAiError(streamFailure(error)) })
  } finally {
    await pieces.return(undefined)
  }
}

import { streamFailure } from "../base/dialects.ts"
import { TurnpikeError } from "../base/errors.ts"
import { openAiError } from "../base/openai-error.ts"
import { messageIdOf } from "../dialects/ids.ts"
import { sseComment, sseEvent } from "../dialects/sse.ts"
import type { TextPiece } from "../dialects/turn-text.ts"
import { describeError, type Log } from "../platform/log.ts"
import type { TurnRow } from "../turns/turn-row.ts"
import { callItemsOf } from "./call-items.ts"
import { type AskedResponse, type ResponseMessage, serializeResponse, textPartOf } from "./response-object.ts"
import { chunkCount, MOST_CHUNKS_AHEAD, TextChunks } from "./text-chunks.ts"

interface Streamed {
  /** The turn as it was when the stream began. */
  turn: TurnRow
  asked: AskedResponse | null
  /** The number of the last event that the reader has; -1 for none. */
  after: number
  log: Log
}

/**
 * The events of a streamed response. The same turn always has the same events with the same numbers, so a reader can
 * continue after any of them. After a lost worker's text the numbers jump, because one reader may have seen more of it
 * than another.
 */
export async function* streamResponse(
  pieces: AsyncGenerator<TextPiece>,
  { turn, asked, after, log }: Streamed,
): AsyncGenerator<string> {
  let number = 0
  const event = (type: string, fields: object): string => {
    const sequence_number = number++
    return sequence_number > after ? sseEvent(type, { type, sequence_number, ...fields }) : ""
  }
  const messages: ResponseMessage[] = []
  const output = new Output(turn.turn_id, messages, event, () => number)
  const begun = serializeResponse({ ...turn, state: "queued", waiting: null, result: null, finished_at: null }, asked)
  try {
    yield event("response.created", { response: begun })
    yield event("response.queued", { response: begun })
    for await (const piece of pieces) {
      switch (piece.kind) {
        case "quiet":
          yield sseComment("still here")
          break
        case "running":
          yield event("response.in_progress", { response: { ...begun, status: "in_progress" } })
          break
        case "waits": {
          const waits: TurnRow = { ...turn, state: "running", waiting: piece.waiting, result: null, finished_at: null }
          yield event("response.in_progress", { response: serializeResponse(waits, asked) })
          break
        }
        case "behind":
          // Not in the log, so it has no number. `response.queued` names the other turn if it waited before.
          yield sseComment(`waits behind ${piece.turn.waits_behind}`)
          break
        case "delta":
          yield output.add(piece.text)
          break
        case "closed":
          yield output.close({ status: piece.whole ? "completed" : "incomplete", phase: "commentary" })
          break
        case "restarted":
          number = output.numberAfter(piece.logged, number) + MOST_CHUNKS_AHEAD
          break
        case "ended": {
          const isWhole = piece.turn.state === "done" && !piece.turn.truncated
          const phase = callItemsOf(piece.turn).length > 0 ? "commentary" : "final_answer"
          yield output.close({ status: isWhole ? "completed" : "incomplete", phase, turn: piece.turn })
          yield callEvents(piece.turn, messages.length, event)
          const response = serializeResponse(piece.turn, asked, messages)
          if (response.error) yield event("error", errorFields(response.error))
          yield event(ENDINGS[response.status] ?? "response.failed", { response })
        }
      }
    }
  } catch (error) {
    if (!(error instanceof TurnpikeError)) log("error", "stream.broken", { error: describeError(error) })
    const fields = errorFields(openAiError(streamFailure(error)))
    yield sseEvent("error", { type: "error", sequence_number: number, ...fields })
  } finally {
    await pieces.return(undefined)
  }
}

/** OpenAI documents the fields of an error, and sends them in `error`. Only there frameworks read its type. */
const errorFields = (error: { type: string; code: string; message: string; param: string | null }) => {
  const { type: _type, ...documented } = error
  return { ...documented, error }
}

/** The events of each call, which is whole at once. */
function callEvents(turn: TurnRow, before: number, event: (type: string, fields: object) => string): string {
  return callItemsOf(turn)
    .map((item, place) => {
      const at = { item_id: item.id, output_index: before + place }
      const begun = { ...item, arguments: "", status: "in_progress" }
      return (
        event("response.output_item.added", { output_index: at.output_index, item: begun }) +
        event("response.function_call_arguments.delta", { ...at, delta: item.arguments }) +
        event("response.function_call_arguments.done", { ...at, name: item.name, arguments: item.arguments }) +
        event("response.output_item.done", { output_index: at.output_index, item })
      )
    })
    .join("")
}

/** OpenAI has no event for a cancelled response: the status says it. */
const ENDINGS: Record<string, string> = { completed: "response.completed", incomplete: "response.incomplete" }

interface Closing {
  status: ResponseMessage["status"]
  phase: ResponseMessage["phase"]
  /** The turn, if it has ended. */
  turn?: TurnRow
}

/** The events of a message besides its text: two before and three after. */
const EVENTS_AROUND_TEXT = 5

/** Writes the messages of a response, one after the other. */
class Output {
  private readonly turnId: string
  private readonly messages: ResponseMessage[]
  private readonly event: (type: string, fields: object) => string
  private readonly number: () => number
  private text: string | null = null
  private readonly chunks = new TextChunks()
  /** The number of the first event of the current message, or of one that was just closed as void. */
  private began: number | null = null

  constructor(
    turnId: string,
    messages: ResponseMessage[],
    event: (type: string, fields: object) => string,
    number: () => number,
  ) {
    this.turnId = turnId
    this.messages = messages
    this.event = event
    this.number = number
  }

  /** The number after a void message, for a reader that saw only the part of its text that is in the log. */
  numberAfter(logged: string, number: number): number {
    const began = this.began ?? number
    this.began = null
    return logged === "" ? began : began + EVENTS_AROUND_TEXT + chunkCount(logged)
  }

  private get place() {
    return {
      item_id: messageIdOf(this.turnId, this.messages.length),
      output_index: this.messages.length,
      content_index: 0,
    }
  }

  add(delta: string): string {
    const opening = this.text === null ? this.open() : ""
    this.text = (this.text ?? "") + delta
    return opening + this.deltas(this.chunks.add(delta))
  }

  private deltas(chunks: string[]): string {
    const shown = chunks.map((delta) => ({ ...this.place, delta, logprobs: [] }))
    return shown.map((fields) => this.event("response.output_text.delta", fields)).join("")
  }

  private open(): string {
    this.began = this.number()
    const { output_index, item_id } = this.place
    const item = { type: "message", id: item_id, status: "in_progress", role: "assistant", content: [] }
    return (
      this.event("response.output_item.added", { output_index, item }) +
      this.event("response.content_part.added", { ...this.place, part: textPartOf("") })
    )
  }

  /** Ends the current message, if there is one. */
  close({ status, phase, turn }: Closing): string {
    if (this.text === null) return ""
    const { place, text } = this
    const part = textPartOf(text, turn)
    const item: ResponseMessage = {
      type: "message",
      id: place.item_id,
      status,
      role: "assistant",
      phase,
      content: [part],
    }
    const closing =
      this.deltas(this.chunks.end()) +
      this.event("response.output_text.done", { ...place, text, logprobs: [] }) +
      this.event("response.content_part.done", { ...place, part }) +
      this.event("response.output_item.done", { output_index: place.output_index, item })
    this.messages.push(item)
    this.text = null
    if (status === "completed") this.began = null
    return closing
  }
}

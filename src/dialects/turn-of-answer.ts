import type * as z from "zod"
import { turnSchema } from "../turns/schemas.ts"
import { serializeTurn, type TurnRow } from "../turns/turn-row.ts"

/** The turn of an answer: its bill and everything that the objects of a dialect have no field for. */
export const turnOfAnswerSchema = turnSchema
  .omit({ text: true, result: true, metadata: true, error: true })
  .meta({ id: "TurnOfAnswer", description: "Our own field: the turn, with its bill." })

export function turnOfAnswer(row: TurnRow): z.input<typeof turnOfAnswerSchema> {
  const { text: _text, result: _result, metadata: _metadata, error: _error, ...turn } = serializeTurn(row)
  return turn
}

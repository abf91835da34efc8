import type { OperationId } from "./call.ts"
import type { Operations } from "./operations.ts"

/** The words that a filter of an operation takes. */
export type QueryWord<Id extends OperationId, Name extends string> = Operations[Id] extends { query?: infer Query }
  ? Name extends keyof NonNullable<Query>
    ? Extract<NonNullable<NonNullable<Query>[Name]>, string>
    : never
  : never

/** The choices of a filter or field, from the labels of all words of an enum: a word without a label does not compile. */
export const choicesOf = <Word extends string, Label = string>(labels: Record<Word, Label>): readonly [Word, Label][] =>
  Object.entries(labels) as [Word, Label][]

import type { OperationId } from "./call.ts"
import type { Operations } from "./operations.ts"

/** The values that a query parameter of an operation accepts. */
export type QueryWord<Id extends OperationId, Name extends string> = Operations[Id] extends { query?: infer Query }
  ? Name extends keyof NonNullable<Query>
    ? Extract<NonNullable<NonNullable<Query>[Name]>, string>
    : never
  : never

/** The choices of a filter or field. A value of the enum without a label is a compile error. */
export const choicesOf = <Word extends string, Label = string>(labels: Record<Word, Label>): readonly [Word, Label][] =>
  Object.entries(labels) as [Word, Label][]

import { type Expression, type ExpressionWrapper, expressionBuilder, isExpression } from "kysely"
import type { CallerDB } from "../actor/call-as.ts"
import { released } from "../platform/db.ts"
import { type ArgumentsOf, PROCEDURES, type ProcedureName, type Procedures } from "../platform/procedures.ts"

type Given<Arguments> = { [Name in keyof Arguments]: Arguments[Name] | Expression<Arguments[Name]> }

/** The columns of a procedure whose answers are never null. */
type RowOf<Name extends ProcedureName> = {
  [Column in keyof Procedures[Name]["row"]]: NonNullable<Procedures[Name]["row"][Column]>
}

/** Uses the rows of a procedure as a table in a query. The procedure reads the snapshot of that query. */
export function procedureRows<Name extends ProcedureName>(
  name: Name,
  args: Given<ArgumentsOf<Name>>,
): ExpressionWrapper<CallerDB, never, RowOf<Name>> {
  const eb = expressionBuilder<CallerDB>()
  const given = PROCEDURES[name].args.map((argument) => {
    const value = (args as Record<string, unknown>)[argument]
    return isExpression(value) ? value : eb.val(value)
  })
  return eb.fn(released(name), given)
}

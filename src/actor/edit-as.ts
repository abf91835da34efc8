import { storedRow } from "../base/casts.ts"
import { type ErrorCode, TurnpikeError } from "../base/errors.ts"
import type { ArgumentsOf, ProcedureName, Procedures } from "../platform/procedures.ts"
import type { SessionCredential } from "./actor.ts"
import { type CallerArguments, callAs, callOnce, type OnceArguments, type OnceProcedure } from "./call-as.ts"
import type { Context } from "./context.ts"
import type { Made, Once } from "./once.ts"

/** Admin procedures. They return `refused`, or the row after the change. */
type AdminProcedure = {
  [Name in ProcedureName]: Procedures[Name]["row"] extends { actor: unknown; refused: unknown; entity: unknown }
    ? Name
    : never
}[ProcedureName]

type AnsweredBy<Name extends AdminProcedure> = Omit<Procedures[Name]["row"], "actor">
type EntityOf<Name extends AdminProcedure> = Procedures[Name]["row"] extends { entity: infer Entity } ? Entity : never

/** The error for each refusal of a procedure: a code and a message, or a function of the procedure's answer. */
export type Refusals<Answered = unknown> = Record<
  string,
  [code: ErrorCode, message: string] | ((entity: unknown, answered: Answered) => TurnpikeError)
>

interface Edit<Arguments, Answered, Row, Answer> {
  args: Arguments
  refusals: Refusals<Answered>
  /** Gets the row and the procedure's whole answer. */
  serialize: (row: Row, answered: Answered) => Answer
}

/**
 * Calls an admin procedure in one statement: it changes a row and writes the audit entry, or
 * refuses. Returns the changed row. Throws VERSION_MISMATCH for `stale`, with the row as
 * `details.current`, and the error in `refusals` for any other refusal.
 */
export async function editAs<Name extends AdminProcedure, Row extends EntityOf<Name>, Answer>(
  ctx: Context,
  credential: SessionCredential,
  name: Name,
  { args, ...reading }: Edit<Omit<ArgumentsOf<Name>, CallerArguments>, AnsweredBy<Name>, Row, Answer>,
): Promise<Answer> {
  const { row } = await callAs(ctx, credential, name, args as never)
  return answerOf(name, storedRow<AnsweredBy<Name> & Edited<Row>>(row), reading)
}

/**
 * Like `editAs`, for a request that may have an Idempotency-Key. A repeat returns the row that the first request made.
 */
export async function editOnce<Name extends AdminProcedure & OnceProcedure, Row extends EntityOf<Name>, Answer>(
  ctx: Context,
  credential: SessionCredential,
  name: Name,
  {
    once,
    args,
    ...reading
  }: Edit<Omit<ArgumentsOf<Name>, CallerArguments | OnceArguments>, AnsweredBy<Name>, Row, Answer> & {
    once: Once | undefined
  },
): Promise<Made<Answer>> {
  const { row, replayOf } = await callOnce(ctx, credential, name, { once, args: args as never })
  const made = answerOf(name, storedRow<AnsweredBy<Name> & Edited<Row>>(row), reading)
  return { made, replayed: replayOf !== null }
}

interface Edited<Row> {
  refused: string | null
  entity: Row
}

function answerOf<Answered extends Edited<Row>, Row, Answer>(
  name: string,
  answered: Answered,
  { refusals, serialize }: Omit<Edit<unknown, Answered, Row, Answer>, "args">,
): Answer {
  const { refused, entity } = answered
  if (refused === null) return serialize(entity, answered)
  if (refused === "stale") {
    const message =
      "It has changed since the version in If-Match. Nothing was written. Read it again, then repeat the edit."
    throw new TurnpikeError("VERSION_MISMATCH", message, { details: { current: serialize(entity, answered) } })
  }
  const refusal = refusals[refused]
  if (typeof refusal === "function") throw refusal(entity, answered)
  const [code, message] = refusal ?? []
  if (!code) throw new Error(`${name} refused: ${refused}`)
  throw new TurnpikeError(code, message ?? code)
}

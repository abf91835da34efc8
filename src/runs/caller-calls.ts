import { callInput, callsOf, type Message, type ToolCallPart } from "../agent/engine.ts"
import { promptTokenBound } from "../agent/estimate.ts"
import { TOOL_POLICY } from "../tools/policies.ts"
import { callerCallId, specsOfCaller } from "../turns/caller-tools.ts"
import { answerText, type StepRow } from "../turns/step-row.ts"
import { draftEvent, type EventDraft } from "../turns/turn-event.ts"
import { stepMessages } from "./exchanges.ts"
import type { AgentWork, Run } from "./run.ts"
import type { CallerCall, Outcome } from "./settle-turns.ts"

interface At {
  row: StepRow
  call: ToolCallPart
  index: number
}

/** Why a call is not made, before its tool is asked; null: it may be made. */
export function barOf({ claim }: Run, { ref }: AgentWork, { call, index }: Pick<At, "call" | "index">): string | null {
  if (call.invalid) return call.invalid
  if (index >= TOOL_POLICY.callsPerStep) {
    return `At most ${TOOL_POLICY.callsPerStep} tools can be called at a time: call this one again.`
  }
  if (ref !== null || !claim.caller) return null
  if (claim.caller.choice === "none") return "No tool may be called in this turn. Answer without one."
  return !claim.caller.parallel && index > 0 ? "One tool can be called at a time: call this one again." : null
}

/** The call of a caller's tool that ends the turn; null: another tool, or its input does not fit. */
export function callerCallOf(run: Run, agent: AgentWork, { row, call, index }: At): CallerCall | null {
  const called = agent.tools.get(call.toolName)?.called?.(callInput(call))
  if (!called || "fault" in called || barOf(run, agent, { call, index }) !== null) return null
  const id = callerCallId(run.turn.turn_id, row.step, index)
  return { id, name: call.toolName, input: called.input, step: row.step, call: index }
}

/** The calls of an answer, if all of them are the caller's to make: then it ends the turn. Otherwise none. */
export function callsOfAnswer(run: Run, agent: AgentWork, row: StepRow): CallerCall[] {
  if (agent.ref !== null) return []
  const all = callsOf(row.content)
  const calls = all.flatMap((call, index) => callerCallOf(run, agent, { row, call, index }) ?? [])
  return calls.length === all.length ? calls : []
}

/** The end of a turn that calls its caller. `row`: the step with the calls, the last of `steps`. */
export function calledOutcome(run: Run, steps: readonly StepRow[], calls: CallerCall[]): Outcome {
  const engine = run.claim.models[run.turn.model]?.engine ?? "rehearsal"
  const messages: Message[] = [...run.opening, ...steps.flatMap((step) => stepMessages(step))]
  const tools = specsOfCaller(run.claim.caller?.tools ?? [])
  const callsTokens = promptTokenBound({ engine, messages, tools })
  return { state: "done", result: answerText(steps), calls, callsTokens }
}

/** The events of calls, before the end of their turn. */
export const callerEvents = (outcome: Outcome, at: Date): EventDraft[] =>
  outcome.state !== "done"
    ? []
    : (outcome.calls ?? []).map(({ step, call, id, name, input }) =>
        draftEvent("tool.requested", { step, call, id, name, input }, at),
      )

import { callInput, callsOf, outputText, type ToolCallPart, type ToolOutput } from "../agent/engine.ts"
import { CALL_TOOL, FIND_TOOLS } from "../agent-config/names.ts"
import { wireBytes } from "../agent-config/request-parts.ts"
import { reasonOf } from "../base/not-sent.ts"
import { storable, storableJson } from "../base/storable.ts"
import { spanIdOf, traceHeaders } from "../base/trace-context.ts"
import { type LossCause, noteLostPicture } from "../billing/losses.ts"
import { approvalOf } from "../tools/approval.ts"
import { errorRun, type MadeFile, type PaidPicture, type ToolRun } from "../tools/bound-tool.ts"
import { TOOL_POLICY } from "../tools/policies.ts"
import { type MeantCall, meantCall } from "../turns/meant-call.ts"
import { pendingCalls, type StepRow } from "../turns/step-row.ts"
import { draftEvent, type EventDraft } from "../turns/turn-event.ts"
import { barOf, calledOutcome, callerCallOf } from "./caller-calls.ts"
import { commitResults } from "./commit-step.ts"
import { type AgentWork, type Run, stepOf } from "./run.ts"
import { RunEnd } from "./run-end.ts"
import { TIMED_OUT } from "./run-time.ts"
import type { CallerCall } from "./settle-turns.ts"
import type { WaitCall } from "./wait-turn.ts"

/** The events that announce a step's calls. The commit after which the calls start writes them. */
export function announceCalls(agent: AgentWork, row: StepRow, at: Date): EventDraft[] {
  return callsOf(row.content).map((call, index) =>
    draftEvent("tool.started", describeCall(agent, row.step, index, call), at),
  )
}

function describeCall(agent: AgentWork, step: number, index: number, call: ToolCallPart) {
  return { ...stepOf(agent, step), call: index, name: storable(meantBy(call).name) }
}

/** The tool and the input that a call means. An invalid call has its text as input. */
const meantBy = (call: ToolCallPart): MeantCall =>
  meantCall(call.toolName, call.invalid === undefined ? callInput(call) : call.input)

interface EndedCall {
  index: number
  run: ToolRun
  event: EventDraft
}

/**
 * Makes the calls of a committed step that have no result yet, several in parallel, and commits their results. If the
 * run must stop, it commits the finished calls first. Ends the run if a call must wait for a decision or its result,
 * and the turn if only calls of its caller are left.
 */
export async function runCalls(run: Run, agent: AgentWork, row: StepRow): Promise<void> {
  const calls = callsOf(row.content)
  const queue = pendingCalls(row)
  const work = queue[Symbol.iterator]()
  const ended: EndedCall[] = []
  let stopped: unknown
  let isWaiting = false
  const called: CallerCall[] = []
  await run.beforeCall()
  const first = new Set(queue.slice(0, TOOL_POLICY.parallelCalls))
  const worker = async () => {
    for (const index of work) {
      try {
        if (stopped !== undefined) return
        if (mustWait(run, agent, { row, call: calls[index] as ToolCallPart, index })) {
          isWaiting = true
          continue
        }
        const forCaller = callerCallOf(run, agent, { row, call: calls[index] as ToolCallPart, index })
        if (forCaller) {
          called.push(forCaller)
          continue
        }
        // A cancel may have come while this call waited.
        if (!first.has(index)) await run.askAgain()
        const made = await runCall(run, agent, { row, call: calls[index] as ToolCallPart, index })
        if (made) ended.push(made)
        else isWaiting = true
      } catch (error) {
        // Other calls do not stop because a sub-agent must wait.
        if (isWait(error)) isWaiting = true
        else stopped = worse(stopped, error)
      }
    }
  }
  await Promise.all(Array.from({ length: TOOL_POLICY.parallelCalls }, worker))
  if (isStale(stopped)) await noteLostPictures(run, ended, "stale")
  else if (ended.length > 0) await commit(run, row, ended)
  if (stopped !== undefined) throw stopped
  if (isWaiting) throw new RunEnd({ kind: "wait" })
  // All other calls of the step have their results.
  if (called.length > 0) throw run.ended(calledOutcome(run, agent.steps, called))
}

async function runCall(
  run: Run,
  agent: AgentWork,
  { row, call, index }: { row: StepRow; call: ToolCallPart; index: number },
): Promise<EndedCall | null> {
  const startedAt = run.time.now
  const made = await execute(run, agent, { row, call, index }).catch((error: unknown) => {
    throw error === TIMED_OUT ? run.limit("TIMEOUT_REACHED") : reasonOf(error)
  })
  if (made.later) {
    run.waitFor(describeWait(agent, { row, call, index }, "awaited", made.later.offered))
    return null
  }
  const output = fitting(made.output)
  const duration = Math.max(0, run.time.now - startedAt)
  const failed = output.type === "error"
  const { turn_id } = run.turn
  run.ctx.log("info", "tool.called", {
    span_id: spanIdOf(turn_id, `tool ${row.step}.${index}`),
    tool: storable(meantBy(call).name).slice(0, 100),
    ok: !failed,
    ms: duration,
  })
  const data = {
    ...describeCall(agent, row.step, index, call),
    ok: !failed,
    duration_ms: duration,
    ...(failed && { error: outputText(output).slice(0, 300).toWellFormed() }),
  }
  return { index, run: { ...made, output }, event: draftEvent("tool.ended", data, run.ctx.clock.now()) }
}

/** The output in a form that can be stored and read again. */
function fitting(given: ToolOutput): ToolOutput {
  const output = storableJson(given) as ToolOutput
  if (wireBytes(output) <= TOOL_POLICY.maxWireBytes) return output
  return {
    type: "error",
    value: `The tool was called, but its answer is too large: at most ${TOOL_POLICY.maxResultBytes} bytes of text are possible.`,
  }
}

async function execute(
  run: Run,
  agent: AgentWork,
  { row, call, index }: { row: StepRow; call: ToolCallPart; index: number },
): Promise<ToolRun> {
  const bar = barOf(run, agent, { call, index })
  if (bar !== null) return errorRun(agent.search?.hidden.has(call.toolName) ? UNLISTED : bar)
  const meant = meantBy(call)
  const tool = toolOf(agent, call, meant)
  if (meant.fault !== undefined) return errorRun(meant.fault)
  if (!tool) return errorRun(noTool(agent, storable(meant.name).slice(0, 100)))
  const forCaller = tool.called?.(meant.input)
  if (forCaller) return errorRun("fault" in forCaller ? forCaller.fault : "The caller makes this call.")
  const decided = run.decided(row.step, index)
  const { fault } = approvalOf(tool, meant.input)
  if (decided?.state === "denied") return errorRun(denial(decided.message))
  if (fault !== undefined) return errorRun(fault)
  const key = `${run.turn.turn_id}.${row.step}.${index}`
  const trace = traceHeaders(run.turn, `tool ${row.step}.${index}`)
  const mayStart = () => run.mayStart()
  const noteToken = (token: string) => run.noteToken(row.step, index, token)
  const input = decided?.edited_input ?? meant.input
  const at = { key, step: row.step, call: index, agent: agent.name, trace }
  const context = { ...at, signal: run.time.signal, mayStart, noteToken }
  const made = await tool.run(input, context)
  return decided?.edited_input ? noteEdit(made, decided.edited_input) : made
}

/** The tool that a call means. Only tools that the prompt does not list are called by `call_tool`. */
const toolOf = ({ tools, search }: AgentWork, { toolName }: ToolCallPart, { name }: MeantCall) =>
  toolName === CALL_TOOL ? search?.hidden.get(name) : tools.get(name)

function noTool({ tools, search }: AgentWork, name: string): string {
  if (tools.has(name)) return `"${name}" is no tool for ${CALL_TOOL}. Call it directly.`
  return `There is no tool "${name}".${search ? ` Look for one with ${FIND_TOOLS}.` : ""}`
}

const UNLISTED = `This tool is not among the listed ones: call it with ${CALL_TOOL}.`

const denial = (message: string | null) =>
  `A person has denied this call, so it was not made.${message === null ? "" : ` They say: ${message}`}`

/** Tells the model that its call was made with another input. */
function noteEdit(made: ToolRun, input: unknown): ToolRun {
  const note = `A person has changed the input of this call to ${JSON.stringify(input)}.`
  const { output } = made
  if (output.type === "parts")
    return { ...made, output: { ...output, value: [{ type: "text", text: note }, ...output.value] } }
  return { ...made, output: { ...output, value: `${note}\n${output.value}` } }
}

/** True if a call must wait: for a decision, or for its result. It is then noted in the run. */
function mustWait(run: Run, agent: AgentWork, at: { row: StepRow; call: ToolCallPart; index: number }): boolean {
  const { row, call, index } = at
  const meant = meantBy(call)
  const tool = toolOf(agent, call, meant)
  if (meant.fault !== undefined || !tool || barOf(run, agent, { call, index }) !== null) return false
  const known = run.decided(row.step, index)
  if (known?.state === "awaited" || known?.state === "early" || known?.state === "answered") {
    run.waitFor(describeWait(agent, at, "awaited", known.offered))
    return true
  }
  if (known?.state === "allowed" || known?.state === "denied" || !approvalOf(tool, meant.input).asks) return false
  run.waitFor(describeWait(agent, at, "asked", false))
  return true
}

function describeWait(
  agent: AgentWork,
  { row, call, index }: { row: StepRow; call: ToolCallPart; index: number },
  state: WaitCall["state"],
  offered: boolean,
): WaitCall {
  const { name, input } = meantBy(call)
  const input_schema = agent.tools.get(name)?.spec.inputSchema ?? {}
  return {
    step: row.step,
    call: index,
    agent: agent.ref,
    tool: storable(name),
    input: storableJson(input) as Record<string, unknown>,
    input_schema,
    state,
    offered,
  }
}

async function commit(run: Run, row: StepRow, ended: EndedCall[]): Promise<void> {
  const results: Record<number, ToolOutput> = {}
  const files: MadeFile[] = []
  const containers: Record<string, number> = {}
  const pictures: (PaidPicture & { call: number })[] = []
  for (const { index, run: made } of ended) {
    results[index] = made.output
    files.push(...(made.files ?? []))
    if (made.picture) pictures.push({ ...made.picture, call: index })
    if (made.container) {
      const { name, milliseconds } = made.container
      containers[name] = (containers[name] ?? 0) + milliseconds
    }
  }
  const events = ended.map(({ event }) => event)
  const made = { step: row.step, results, files, containers, pictures, events, accounts: run.route.known() }
  const turn = await commitResults(run.ctx, run.turn, made).catch(async (error: unknown) => {
    await noteLostPictures(run, ended, "uncommitted")
    throw error
  })
  if (!turn) await noteLostPictures(run, ended, "stale")
  Object.assign(row.results, results)
  run.committed(turn, { bytes: wireBytes(results) })
}

/** The cost of an image that was made but not committed is our loss. */
async function noteLostPictures(run: Run, ended: EndedCall[], cause: LossCause): Promise<void> {
  for (const { run: made } of ended) {
    if (!made.picture) continue
    await noteLostPicture(run.ctx, run.turn, {
      fileId: made.files?.[0]?.file_id ?? null,
      cause,
      micros: made.picture.cost,
    })
  }
}

const isWait = (error: unknown) => error instanceof RunEnd && error.why.kind === "wait"

const isStale = (error: unknown) => error instanceof RunEnd && error.why.kind === "stale"

/** The stronger of two reasons to stop: a lost turn, an error, an end, an unavailable model, the worker's time. */
function worse(one: unknown, other: unknown): unknown {
  const rank = (error: unknown) => {
    if (error === undefined) return 0
    if (!(error instanceof RunEnd)) return 4
    return { wait: 1, hand_over: 1, crowded: 2, cooling: 2, unavailable: 2, ended: 3, stale: 5 }[error.why.kind]
  }
  return rank(other) > rank(one) ? other : one
}

import * as z from "zod"
import type { ModelAnswer } from "../agent/engine.ts"
import { cutToBytes } from "../agent/estimate.ts"
import { DELEGATE } from "../agent-config/names.ts"
import { withNames } from "../agent-config/variables.ts"
import { noteError } from "../infrastructure/errors.ts"
import { type BoundTool, builtin, errorRun, type ToolCallContext, type ToolRun } from "../tools/bound-tool.ts"
import { TOOL_POLICY } from "../tools/policies.ts"
import { allowedTools } from "../tools/toolbox.ts"
import { TURN_POLICY } from "../turns/policies.ts"
import { answerText } from "../turns/step-row.ts"
import { agentTools } from "./agent-tools.ts"
import { answerFault } from "./answer-fault.ts"
import { noteOf, openingOf } from "./build-call.ts"
import { AgentFailed, CONTEXT_TOO_LONG } from "./call-step.ts"
import { ContextFit } from "./fit-context.ts"
import { noteFor } from "./note-for.ts"
import { refusedAs } from "./refused-as.ts"
import type { AgentWork, Run } from "./run.ts"
import { runAgent, TooManySteps } from "./run-agent.ts"

/** The tool that hands a task to one of the manifest's sub-agents; null if the manifest has none. */
export function delegateTool(run: Run, tools: ReadonlyMap<string, BoundTool>): BoundTool | null {
  const subagents = run.claim.config.manifest.subagents ?? []
  const names = subagents.map(({ name }) => name)
  if (names.length === 0) return null
  const list = subagents.map(({ name, description }) => `- ${name}: ${description}`).join("\n")
  const input = z.strictObject({
    agent: z.enum(names as [string, ...string[]]),
    task: z.string().min(1).meta({ description: "Everything it must know: it does not see this conversation." }),
  })
  const description = withNames(`Hands a task to another agent and answers its result.\n${list}`)
  const tool = builtin({ name: DELEGATE, description, input }, (task, context) => delegate(run, tools, task, context))
  const approval = run.claim.config.manifest.approvals?.[DELEGATE]
  return { ...tool, ...(approval && { approval }) }
}

const reasonOf = ({ error }: AgentFailed) =>
  error.kind === "failed" || error.code === CONTEXT_TOO_LONG ? error.message : refusedAs(error).message

/** Runs a sub-agent from its last committed step on. If it fails, the calling agent gets an error. */
async function delegate(
  run: Run,
  tools: ReadonlyMap<string, BoundTool>,
  { agent: name, task }: { agent: string; task: string },
  { step, call }: ToolCallContext,
): Promise<ToolRun> {
  const { claim, turn } = run
  const config = claim.config.manifest.subagents?.find((subagent) => subagent.name === name)
  if (!config) return errorRun(`There is no sub-agent "${name}".`)
  const model = claim.models[turn.test ? turn.model : (config.model ?? turn.model)]
  const failed = (code: string, message: string) => {
    const engine = (model ?? claim.models[turn.model])?.engine ?? "unknown"
    noteError(run.ctx, turn, { kind: "subagent_dispatch", name: engine, code })
    return errorRun(message)
  }
  if (!model) return failed("no_model", `The model of "${name}" is not in the catalog any more.`)
  const ref = `${step}.${call}`
  const steps = claim.steps.filter((row) => row.agent === ref)
  const allowed = allowedTools(tools, config.tools)
  const { leftOut: _, ...own } = agentTools(run, allowed, { model, steps, isOwn: false, missing: [] })
  const work: AgentWork = {
    ref,
    name,
    system: config.instructions && withNames(config.instructions),
    model,
    maxSteps: config.max_steps ?? TURN_POLICY.maxSteps,
    maxOutputTokens: config.max_output_tokens,
    ...own,
    steps,
    fit: new ContextFit(model),
  }
  try {
    const note = noteOf(noteFor(run, { system: config.instructions, tools: own.tools }))
    await runAgent(run, work, openingOf(task, note))
  } catch (error) {
    if (error instanceof AgentFailed)
      return failed(error.error.kind, `The sub-agent ${name} failed: ${reasonOf(error)}`)
    if (error instanceof TooManySteps)
      return failed("too_many_steps", `The sub-agent ${name} took more than ${work.maxSteps} model calls.`)
    throw error
  }
  const last = work.steps.at(-1)
  const fault = last && answerFault(last.finish)
  if (fault) return failed(last.finish, `The sub-agent ${name} failed: ${fault.message}`)
  const cut: ModelAnswer["finish"] = "length"
  const note = last?.finish === cut ? "\n[cut off at its output limit]" : ""
  const text = cutToBytes(answerText(work.steps), TOOL_POLICY.maxResultBytes - note.length)
  return { output: { type: "text", value: `${text}${note}` || "(an empty answer)" } }
}

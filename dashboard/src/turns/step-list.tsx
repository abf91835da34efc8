import { wordsOf } from "../api/code-words.ts"
import type { Turn, TurnEvent, TurnStep } from "../api/operations.ts"
import { CodeBlock, Json } from "../ui/code-block.tsx"
import { lasted } from "../ui/durations.ts"
import { Status } from "../ui/status.tsx"
import { Time } from "../ui/values.tsx"
import type { LiveStep } from "./live-turn.ts"
import { isOpenTurn } from "./turn-words.ts"

type ToolCall = TurnStep["tool_calls"][number]

/** Durations in milliseconds from the events, by `step` and `step.call`. */
export function durationsOf(events: readonly TurnEvent[] | undefined): Map<string, number> {
  const found = new Map<string, number>()
  for (const { type, data } of events ?? []) {
    if (type === "step.ended") found.set(`${data.step}`, Number(data.duration_ms))
    if (type === "tool.ended") found.set(`${data.step}.${data.call}`, Number(data.duration_ms))
  }
  return found
}

interface StepListProps {
  /** The state of the turn. */
  state: Turn["state"]
  steps: readonly TurnStep[]
  durations: Map<string, number>
  /** Steps that events describe and that are not stored yet. */
  live?: readonly LiveStep[]
}

/** The steps of a turn in order, each with its text and its tool calls. */
export function StepList({ state, steps, durations, live = [] }: StepListProps) {
  const written = new Set(steps.map(({ step }) => step))
  return (
    <ol className="flex flex-col">
      {steps.map((step) => (
        <li key={step.step} className="flex flex-col gap-2 border-line border-l-2 pb-5 pl-4">
          <StepHead
            title={`Step ${step.step}`}
            who={step.subagent}
            facts={[step.model ?? "", step.finish && wordsOf(step.finish), lastedOf(durations.get(`${step.step}`))]}
            at={step.created_at}
          />
          {step.text && <p className="max-w-[88ch] whitespace-pre-wrap break-words">{step.text}</p>}
          {step.tool_calls.map((call) => (
            <CallSides key={call.call} of={state} call={call} duration={durations.get(`${step.step}.${call.call}`)} />
          ))}
        </li>
      ))}
      {live
        .filter(({ step }) => !written.has(step))
        .map((step) => (
          <LiveStepItem key={step.step} step={step} />
        ))}
    </ol>
  )
}

const lastedOf = (ms: number | undefined) => (ms === undefined ? "" : lasted(ms))

interface StepHeadProps {
  title: string
  who: string | null
  facts: string[]
  at?: string
}

const StepHead = ({ title, who, facts, at }: StepHeadProps) => (
  <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
    <h3>{title}</h3>
    {who && <span className="rounded-md bg-accent-soft px-2 text-accent text-xs">{who}</span>}
    <span className="text-muted text-xs">{facts.filter(Boolean).join(" · ")}</span>
    {at && (
      <span className="text-muted text-xs sm:ml-auto">
        <Time at={at} />
      </span>
    )}
  </div>
)

/** The input and the output of a tool call, collapsed until the user opens them. */
function CallSides({
  of,
  call: { call, name, input, output },
  duration,
}: {
  of: Turn["state"]
  call: ToolCall
  duration: number | undefined
}) {
  const state = output === null ? withoutOutput(of) : output.is_error ? "failed" : "done"
  return (
    <details className="rounded-md border border-line">
      <summary className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-1 px-3 py-1">
        <code>{name}</code>
        <Status word={state} />
        <span className="text-muted text-xs">
          call {call}
          {duration !== undefined && ` · ${lasted(duration)}`}
        </span>
      </summary>
      <div className="grid gap-3 border-line border-t p-3 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-1">
          <span className="text-muted text-xs">Input</span>
          <Json value={input} label={`Input of ${name}`} />
        </div>
        <div className="flex min-w-0 flex-col gap-1">
          <span className="text-muted text-xs">Output</span>
          {output ? (
            <CodeBlock code={readable(output.text)} label={`Output of ${name}`} />
          ) : (
            <p className="text-muted">{isOpenTurn(of) ? "No output yet." : "No output."}</p>
          )}
          {output?.objects.map(({ name, media_type }) => (
            <span key={name} className="text-muted text-xs">
              {name} ({media_type})
            </span>
          ))}
        </div>
      </div>
    </details>
  )
}

/** The state of a call without an output. A turn that is done has left it to its caller. */
const withoutOutput = (of: Turn["state"]) =>
  isOpenTurn(of) ? "running" : of === "done" ? "for the caller" : "not made"

/** The output of a tool, indented if it is JSON. */
function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** A step that events describe and that is not stored yet. */
export function LiveStepItem({ step }: { step: LiveStep }) {
  return (
    <li className="flex flex-col gap-2 border-info border-l-2 pb-5 pl-4">
      <StepHead title={`Step ${step.step}`} who={step.subagent} facts={[step.ended ? "" : "running"]} />
      {step.text && <p className="max-w-[88ch] whitespace-pre-wrap break-words">{step.text}</p>}
      {step.calls.map(({ call, name, ok, durationMs }) => (
        <span key={call} className="flex flex-wrap items-center gap-3">
          <code>{name}</code>
          <Status word={ok === null ? "running" : ok ? "done" : "failed"} />
          <span className="text-muted text-xs">{durationMs === null ? "" : lasted(durationMs)}</span>
        </span>
      ))}
    </li>
  )
}

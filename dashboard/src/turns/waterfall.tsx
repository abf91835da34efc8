import { wordsOf } from "../api/code-words.ts"
import type { TurnTrace } from "../api/operations.ts"
import { lasted } from "../ui/durations.ts"
import { Status } from "../ui/status.tsx"
import { waitNote } from "./wait-words.ts"

type Span = TurnTrace["spans"][number]

const LOOKS: Record<Span["kind"], string> = {
  queue: "bg-edge",
  model: "bg-accent",
  tool: "bg-ok",
  attempt: "bg-bad",
  wait: "bg-warn",
}

const WORDS: Record<Span["kind"], string> = {
  queue: "Waits in the queue",
  model: "Model call",
  tool: "Tool call",
  attempt: "Failed attempt",
  wait: "Waits",
}

/** Where the time of a turn went: one row for each wait, model call, tool call and failed attempt. */
export function Waterfall({ trace: { spans, total_ms, context } }: { trace: TurnTrace }) {
  const whole = Math.max(total_ms, 1)
  const sums = (["queue", "model", "tool", "wait"] as const)
    .map(
      (kind) =>
        [kind, spans.filter((span) => span.kind === kind).reduce((sum, one) => sum + one.duration_ms, 0)] as const,
    )
    .filter(([, ms]) => ms > 0)
  return (
    <div className="flex flex-col gap-2">
      <p className="flex flex-wrap gap-x-4 gap-y-1 text-muted text-xs">
        <span>{lasted(total_ms)} in total</span>
        {sums.map(([kind, ms]) => (
          <span key={kind} className="inline-flex items-center gap-1">
            <span aria-hidden="true" className={`size-2 ${LOOKS[kind]}`} />
            {WORDS[kind].toLowerCase()}: {lasted(ms)}
          </span>
        ))}
      </p>
      {context && <p>{seenBy(context)}</p>}
      <ol className="flex flex-col rounded-md border border-line">
        {spans.map((span, index) => (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: spans have no id, and their order is fixed
            key={index}
            className="grid min-h-8 grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 border-line border-b px-3 py-1 last:border-b-0 sm:grid-cols-[minmax(120px,260px)_minmax(0,1fr)_88px]"
          >
            <span className="flex min-w-0 flex-wrap items-center gap-x-2">
              <span className="min-w-0 truncate" title={span.name}>
                {span.kind === "queue" || span.kind === "wait" ? WORDS[span.kind] : span.name}
              </span>
              <span className="text-muted text-xs">{noteOf(span)}</span>
              {span.error && <span className="break-words text-bad text-xs">{saidOf(span.error)}</span>}
              {span.state !== "ok" && (
                <Status word={span.state === "failed" ? "failed" : span.kind === "wait" ? "waiting" : "running"} />
              )}
            </span>
            <span
              aria-hidden="true"
              className="relative h-[10px] rounded-md bg-hover max-sm:order-last max-sm:col-span-2"
            >
              <span
                className={`absolute top-0 h-full min-w-[2px] rounded-sm ${LOOKS[span.kind]}`}
                style={{
                  left: `${Math.min(99.5, (span.start_ms / whole) * 100)}%`,
                  width: `${Math.max(0.4, Math.min(100, (span.duration_ms / whole) * 100))}%`,
                }}
              />
            </span>
            <span className="whitespace-nowrap text-right text-muted text-xs">
              {span.kind === "attempt" ? `at ${lasted(span.start_ms)}` : lasted(span.duration_ms)}
            </span>
          </li>
        ))}
      </ol>
    </div>
  )
}

/** The part of a conversation that the agent saw, if the whole one did not fit into its model's window. */
function seenBy({ seen_turns, earlier_turns, results_left_out }: NonNullable<TurnTrace["context"]>): string {
  const turns = `The agent saw ${seen_turns} of ${earlier_turns} earlier turns.`
  const results = results_left_out === 1 ? "1 result of a tool was" : `${results_left_out} results of tools were`
  return results_left_out === 0 ? turns : `${turns} ${results} left out.`
}

const saidOf = ({ status, message }: NonNullable<Span["error"]>) =>
  [status && `HTTP ${status}`, message].filter(Boolean).join(": ")

const count = (value: number) => value.toLocaleString()

/** The tokens of a model call, with those of reasoning. */
const tokensOf = ({ output, reasoning }: NonNullable<Span["tokens"]>) =>
  `${count(output)} output tokens${reasoning > 0 ? `, ${count(reasoning)} of reasoning` : ""}`

function noteOf({ kind, name, subagent, step, detail, tokens, settings }: Span): string {
  if (kind === "queue") return ""
  if (kind === "wait") return waitNote({ name, detail })
  const of = kind === "attempt" ? `failed ${wordsOf(detail ?? "call")}` : kind === "tool" ? "tool" : "model"
  const effort = settings?.reasoning && `reasoning ${settings.reasoning}`
  const tier = settings?.service_tier && `tier ${settings.service_tier}`
  const parts = [subagent, step === null ? of : `${of}, step ${step}`, effort, tier, tokens && tokensOf(tokens)]
  return parts.filter(Boolean).join(" · ")
}

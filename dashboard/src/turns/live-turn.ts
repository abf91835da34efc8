import { useQueryClient } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import { addressOf, type OperationId } from "../api/call.ts"
import type { TurnEvent } from "../api/operations.ts"
import { readAgain } from "../api/query.ts"
import { TurnStateEventRules } from "../api/rules.ts"
import { hearSentTurn } from "./sent-turns.ts"
import { WAIT_READS } from "./wait-words.ts"

interface LiveCall {
  call: number
  name: string
  ok: boolean | null
  durationMs: number | null
}

/** A step of a running turn, as its events describe it. */
export interface LiveStep {
  step: number
  subagent: string | null
  text: string
  ended: boolean
  durationMs: number | null
  calls: LiveCall[]
}

const TYPES = [
  ...TurnStateEventRules.type.words,
  "step.started",
  "step.ended",
  "tool.started",
  "tool.ended",
  "text.delta",
  "model.waiting",
  "context.trimmed",
  "context.summarised",
  "request.adjusted",
  "tools.missing",
  "call.decided",
]
const LAST = ["turn.done", "turn.failed", "turn.cancelled"]
/** The operations to read again after each type of event. */
const READS: Record<string, OperationId[]> = {
  "turn.running": ["getTurn"],
  "turn.waiting": WAIT_READS,
  "turn.resumed": WAIT_READS,
  "call.decided": WAIT_READS,
  "model.waiting": ["listTurnEvents"],
  "step.ended": ["listTurnSteps", "getTurnBill"],
  "tool.ended": ["listTurnSteps", "getTurnBill"],
}
const ALL: OperationId[] = [
  "getTurn",
  "listWaitingTurns",
  "listTurnSteps",
  "getTurnBill",
  "listTurnEvents",
  "listTurnFiles",
  "listTurnDeliveries",
  "listTurns",
  "getTurnStats",
  "listChatTurns",
]

const textOf = (value: unknown) => (typeof value === "string" ? value : null)

/** Applies an event to the steps. A second `step.started` resets the step with its text and tool calls. */
export function withEvent(steps: readonly LiveStep[], { type, data }: TurnEvent): readonly LiveStep[] {
  const step = Number(data.step)
  if (!Number.isInteger(step)) return steps
  const fresh = { step, subagent: textOf(data.agent), text: "", ended: false, durationMs: null, calls: [] }
  const old = steps.find((one) => one.step === step) ?? fresh
  const call = { call: Number(data.call), name: String(data.name), ok: null, durationMs: null }
  const durationMs = Number(data.duration_ms ?? 0)
  const others = old.calls.filter((one) => one.call !== call.call)
  const next: Record<string, LiveStep> = {
    "step.started": fresh,
    "text.delta": { ...old, text: old.text + String(data.text ?? "") },
    "step.ended": { ...old, ended: true, durationMs },
    "tool.started": { ...old, calls: [...others, call] },
    "tool.ended": { ...old, calls: [...others, { ...call, ok: data.ok === true, durationMs }] },
  }
  return [...steps.filter((one) => one.step !== step), next[type] ?? old].sort((a, b) => a.step - b.step)
}

/** Streams the events of an open turn until it ends, and reads the data that an event has changed again. */
export function useLiveTurn(turnId: string | undefined, { open, test }: { open: boolean; test?: true }) {
  const client = useQueryClient()
  const [steps, setSteps] = useState<readonly LiveStep[]>([])
  useEffect(() => {
    if (!turnId || !open) return
    setSteps([])
    let isOver = false
    const hear = (event: TurnEvent) => {
      setSteps((old) => withEvent(old, event))
      isOver ||= LAST.includes(event.type)
      const reads = isOver ? ALL : READS[event.type]
      if (reads) void readAgain(client, reads)
    }
    const follow = () => {
      const stream = new EventSource(
        addressOf("listTurnEvents", { path: { turn_id: turnId }, query: { test: test && "true" } }),
      )
      // The browser reconnects with the id of its last message, so no event comes twice.
      const onMessage = ({ data }: MessageEvent<string>) => {
        hear(JSON.parse(data) as TurnEvent)
        if (isOver) stream.close()
      }
      for (const type of TYPES) stream.addEventListener(type, onMessage)
      return () => stream.close()
    }
    let stop = hearSentTurn(turnId, {
      hear,
      // The request that has sent the turn is over before it, so the rest comes from the log, from the first event on.
      onEnd: () => {
        if (isOver) return
        setSteps([])
        stop = follow()
      },
    })
    stop ??= follow()
    return () => stop?.()
  }, [client, turnId, open, test])
  return steps
}

/** @jsxImportSource preact */
import { useEffect, useState } from "preact/hooks"
import type { PortalTurn, PortalTurnTexts, PortalWait } from "../../src/portal/answers.ts"
import { hasEnded, type PortalApi } from "./api.ts"
import { say, type TextName } from "./texts.ts"
import { Failed, Loading, Moment, moneyOf, Section } from "./values.tsx"

const STATES: readonly string[] = ["queued", "running", "waiting", "done", "failed", "cancelled"] satisfies TextName[]

const WAITS: Record<PortalWait, TextName> = {
  approval: "waitsApproval",
  result: "waitsResult",
  credit: "waitsCredit",
  limit: "waitsLimit",
  earlier: "waitsEarlier",
}

const stateOf = ({ state, waits_for }: PortalTurn) =>
  waits_for ? say(WAITS[waits_for]) : STATES.includes(state) ? say(state as TextName) : state

/** The end user's turns, newest first. `version`: changes when they may have changed. */
export function Turns({ api, version }: { api: PortalApi; version: number }) {
  const [turns, setTurns] = useState<PortalTurn[] | null>(null)
  const [next, setNext] = useState<string | null>(null)
  const [state, setState] = useState<"loading" | "failed" | "idle">("loading")
  const load = async (cursor: string | null) => {
    setState("loading")
    try {
      const page = await api.turns(cursor)
      setTurns((earlier) => (cursor && earlier ? [...earlier, ...page.data] : page.data))
      setNext(page.next_cursor)
      setState("idle")
    } catch (error) {
      if (!hasEnded(error)) setState("failed")
    }
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new version reads the first page again
  useEffect(() => {
    load(null)
  }, [version])
  const replace = (changed: PortalTurn) =>
    setTurns((shown) => shown?.map((turn) => (turn.turn_id === changed.turn_id ? changed : turn)) ?? null)
  const usd = moneyOf((turns ?? []).map(({ charged_usd }) => charged_usd))
  return (
    <Section title="requests">
      {turns?.length === 0 && <p class="muted">{say("noRequests")}</p>}
      <ul class="list">
        {turns?.map((turn) => (
          <Turn key={turn.turn_id} of={turn} api={api} usd={usd} onChange={replace} />
        ))}
      </ul>
      {turns === null && state === "loading" && <Loading />}
      {state === "failed" && <Failed what="yourRequests" onRetry={() => load(turns === null ? null : next)} />}
      {next && state !== "failed" && (
        <button type="button" aria-disabled={state === "loading"} onClick={() => state === "loading" || load(next)}>
          {say(state === "loading" ? "loading" : "older")}
        </button>
      )}
    </Section>
  )
}

interface TurnProps {
  of: PortalTurn
  api: PortalApi
  usd: (value: number) => string
  onChange: (turn: PortalTurn) => void
}

function Turn({ of: turn, api, usd, onChange }: TurnProps) {
  const [open, setOpen] = useState(false)
  const id = `texts-${turn.turn_id}`
  return (
    <li>
      <button type="button" class="row" aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
        <span class="cut">{turn.excerpt || say("noText")}</span>
        <span class="facts">
          <Moment at={turn.created_at} />
          <span class={`state ${turn.state}`}>{stateOf(turn)}</span>
          <span class="end">{usd(turn.charged_usd)}</span>
        </span>
      </button>
      <div id={id} hidden={!open}>
        {open && <Texts key={turn.state} api={api} turnId={turn.turn_id} onChange={onChange} />}
      </div>
    </li>
  )
}

interface TextsProps {
  api: PortalApi
  turnId: string
  onChange: (turn: PortalTurn) => void
}

function Texts({ api, turnId, onChange }: TextsProps) {
  const [turn, setTurn] = useState<PortalTurnTexts | "failed" | null>(null)
  const load = () => {
    setTurn(null)
    api.turn(turnId).then(setTurn, (error: unknown) => {
      if (!hasEnded(error)) setTurn("failed")
    })
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: each part shows one turn in one state
  useEffect(load, [])
  if (turn === null) return <Loading rows={2} />
  if (turn === "failed") return <Failed what="thisRequest" onRetry={load} />
  return (
    <dl class="texts">
      <dt>{say("you")}</dt>
      <dd>{turn.text || say(turn.finished_at && turn.result === null ? "deleted" : "noText")}</dd>
      <dt>{say("reply")}</dt>
      {turn.finished_at ? (
        <Reply text={turn.result ?? ""} />
      ) : (
        <LiveReply api={api} turnId={turnId} onChange={onChange} />
      )}
    </dl>
  )
}

/** A reply. An object or a list of JSON is indented. */
function Reply({ text }: { text: string }) {
  const value = /^\s*[{[]/.test(text) ? jsonIn(text) : undefined
  return value === undefined ? (
    <dd>{text || say("noReply")}</dd>
  ) : (
    <dd class="json">{JSON.stringify(value, null, 2)}</dd>
  )
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The text of one step. `isApart`: tools ran before it, so it does not continue the text of the step before. */
interface TextPart {
  step: number
  text: string
  isApart: boolean
}

/** The parts after an event. A step that starts again, because its worker was lost, has no text yet. */
function grown(parts: TextPart[], type: string, { step, text = "" }: { step: number; text?: string }): TextPart[] {
  const earlier = parts.filter((part) => part.step !== step)
  const own = parts.find((part) => part.step === step)
  if (type === "step.started") return [...earlier, { step, text: "", isApart: own?.isApart ?? false }]
  if (type === "text.delta") return [...earlier, { step, isApart: false, ...own, text: (own?.text ?? "") + text }]
  return parts.some(({ step: next }) => next > step) ? parts : [...parts, { step: step + 1, text: "", isApart: true }]
}

const textOf = (parts: TextPart[]) =>
  parts
    .map(({ text, isApart }) => (isApart && text ? `\n\n${text}` : text))
    .join("")
    .trimStart()

/** The reply of a turn that has not ended, as it is written. */
function LiveReply({ api, turnId, onChange }: TextsProps) {
  const [parts, setParts] = useState<TextPart[]>([])
  // biome-ignore lint/correctness/useExhaustiveDependencies: each part shows one turn in one state
  useEffect(() => {
    let stream: EventSource | null = null
    let isOver = false
    const end = () => {
      stream?.close()
      api.turn(turnId).then(onChange, () => {})
    }
    api.watch(turnId).then(
      ({ url }) => {
        if (url === null || isOver) return
        stream = new EventSource(url)
        for (const type of ["step.started", "text.delta", "tool.started"]) {
          stream.addEventListener(type, ({ data }) => setParts((shown) => grown(shown, type, JSON.parse(data).data)))
        }
        for (const type of ["turn.done", "turn.failed", "turn.cancelled", "turn.waiting"]) {
          stream.addEventListener(type, end)
        }
      },
      () => {},
    )
    return () => {
      isOver = true
      stream?.close()
    }
  }, [])
  return (
    <dd aria-live="polite" aria-busy="true">
      {textOf(parts) || say("notFinished")}
    </dd>
  )
}

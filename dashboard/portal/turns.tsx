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
  const usd = moneyOf((turns ?? []).map(({ charged_usd }) => charged_usd))
  return (
    <Section title="requests">
      {turns?.length === 0 && <p class="muted">{say("noRequests")}</p>}
      <ul class="list">
        {turns?.map((turn) => (
          <Turn key={turn.turn_id} of={turn} api={api} usd={usd} />
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
}

function Turn({ of: turn, api, usd }: TurnProps) {
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
        {open && <Texts key={turn.state} api={api} turnId={turn.turn_id} />}
      </div>
    </li>
  )
}

function Texts({ api, turnId }: { api: PortalApi; turnId: string }) {
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
      <dd>{turn.text || say("deleted")}</dd>
      <dt>{say("reply")}</dt>
      <dd>{turn.result ?? (turn.finished_at ? say("noReply") : say("notFinished"))}</dd>
    </dl>
  )
}

/** @jsxImportSource preact */
import { useEffect, useState } from "preact/hooks"
import type { PortalTurn, PortalTurnTexts } from "../../src/portal/answers.ts"
import { hasEnded, type PortalApi } from "./api.ts"
import { Failed, Loading, Moment, Section, usd } from "./values.tsx"

const STATES: Record<string, string> = {
  queued: "Queued",
  running: "Running",
  waiting: "Waiting",
  done: "Done",
  failed: "Failed",
  cancelled: "Cancelled",
}

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
  return (
    <Section title="Requests">
      {turns?.length === 0 && <p class="muted">You have sent no requests yet.</p>}
      <ul class="list">
        {turns?.map((turn) => (
          <Turn key={turn.turn_id} of={turn} api={api} />
        ))}
      </ul>
      {turns === null && state === "loading" && <Loading />}
      {state === "failed" && <Failed what="Your requests" onRetry={() => load(turns === null ? null : next)} />}
      {next && state !== "failed" && (
        <button type="button" aria-disabled={state === "loading"} onClick={() => state === "loading" || load(next)}>
          {state === "loading" ? "Loading…" : "Show older requests"}
        </button>
      )}
    </Section>
  )
}

function Turn({ of: turn, api }: { of: PortalTurn; api: PortalApi }) {
  const [open, setOpen] = useState(false)
  const id = `texts-${turn.turn_id}`
  return (
    <li>
      <button type="button" class="row" aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
        <span class="cut">{turn.excerpt || "Without text"}</span>
        <span class="facts">
          <Moment at={turn.created_at} />
          <span class={`state ${turn.state}`}>{STATES[turn.state] ?? turn.state}</span>
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
  if (turn === "failed") return <Failed what="This request" onRetry={load} />
  return (
    <dl class="texts">
      <dt>You</dt>
      <dd>{turn.text || "The text was deleted."}</dd>
      <dt>Reply</dt>
      <dd>{turn.result ?? (turn.finished_at ? "No reply." : "Not finished yet.")}</dd>
    </dl>
  )
}

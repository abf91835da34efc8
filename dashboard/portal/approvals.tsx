/** @jsxImportSource preact */
import { useEffect, useRef, useState } from "preact/hooks"
import type { PortalApproval } from "../../src/portal/answers.ts"
import { hasEnded, type PortalApi, PortalError } from "./api.ts"
import { say, type TextName } from "./texts.ts"
import { Moment, Section } from "./values.tsx"

interface ApprovalsProps {
  of: PortalApproval[]
  api: PortalApi
  /** Called after a decision, or when a call waits no longer. */
  onChange: () => void
}

/** Calls that wait until the end user allows or denies them. */
export function Approvals({ of: approvals, api, onChange }: ApprovalsProps) {
  const [said, setSaid] = useState("")
  const status = useRef<HTMLParagraphElement>(null)
  // The button of the decision is gone, so the focus moves to what became of it.
  useEffect(() => {
    if (said) status.current?.focus()
  }, [said])
  const done = (text: string) => {
    setSaid(text)
    onChange()
  }
  // Nothing to decide is no news next to other parts.
  if (approvals.length === 0 && !said && api.scopes.length > 1) return null
  return (
    <Section title="decisions">
      <p ref={status} tabIndex={-1} role="status" class={said ? "ok" : "hidden"}>
        {said}
      </p>
      {approvals.length === 0 && !said && <p class="muted">{say("nothingWaits")}</p>}
      <ul class="list">
        {approvals.map((approval) => (
          <Approval key={`${approval.turn_id} ${approval.call}`} of={approval} api={api} onDone={done} />
        ))}
      </ul>
    </Section>
  )
}

/** The reasons for which a call can no longer be decided about. */
const GONE: Record<string, TextName> = {
  CALL_DECIDED: "otherDecision",
  CALL_NOT_WAITING: "waitsNoLonger",
  TURN_FINISHED: "hasEnded",
  NOT_FOUND: "gone",
}

function Approval({
  of: approval,
  api,
  onDone,
}: {
  of: PortalApproval
  api: PortalApi
  onDone: (said: string) => void
}) {
  const [busy, setBusy] = useState<"allow" | "deny" | null>(null)
  const [failed, setFailed] = useState(false)
  const { turn_id, call, tool, input, excerpt, since, expires_at } = approval
  const decide = async (decision: "allow" | "deny") => {
    if (busy) return
    setBusy(decision)
    setFailed(false)
    try {
      await api.decide(turn_id, call, decision)
      onDone(say(decision === "allow" ? "allowed" : "denied", tool))
    } catch (error) {
      setBusy(null)
      const gone = error instanceof PortalError && error.code !== null ? GONE[error.code] : undefined
      if (gone) onDone(say(gone))
      else if (!hasEnded(error)) setFailed(true)
    }
  }
  return (
    <li>
      <p>
        <b>{tool}</b>{" "}
        <span class="muted">
          <Moment at={since} text="since" />
        </span>
      </p>
      {excerpt && <p class="muted cut">{excerpt}</p>}
      <Input of={input} />
      <p class="muted">
        <Moment at={expires_at} text="expires" />
      </p>
      {api.preview && <p class="muted">{say("preview")}</p>}
      {failed && (
        <p role="alert" class="warn">
          {say("notSent")}
        </p>
      )}
      <div class="actions">
        <button
          type="button"
          class="primary"
          aria-disabled={api.preview || busy !== null}
          onClick={() => api.preview || decide("allow")}
        >
          {say(busy === "allow" ? "allowing" : "allow")}
        </button>
        <button
          type="button"
          aria-disabled={api.preview || busy !== null}
          onClick={() => api.preview || decide("deny")}
        >
          {say(busy === "deny" ? "denying" : "deny")}
        </button>
      </div>
    </li>
  )
}

/** The input of a call: its fields, each as text. */
function Input({ of: input }: { of: unknown }) {
  if (typeof input !== "object" || input === null) return null
  return (
    <dl class="fields">
      {Object.entries(input).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{typeof value === "string" ? value : JSON.stringify(value)}</dd>
        </div>
      ))}
    </dl>
  )
}

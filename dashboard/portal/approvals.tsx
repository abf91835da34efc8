/** @jsxImportSource preact */
import { useEffect, useRef, useState } from "preact/hooks"
import type { PortalApproval } from "../../src/portal/answers.ts"
import { hasEnded, type PortalApi, PortalError } from "./api.ts"
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
    <Section title="Waiting for your decision">
      <p ref={status} tabIndex={-1} role="status" class={said ? "ok" : "hidden"}>
        {said}
      </p>
      {approvals.length === 0 && !said && <p class="muted">Nothing waits for you.</p>}
      <ul class="list">
        {approvals.map((approval) => (
          <Approval key={`${approval.turn_id} ${approval.call}`} of={approval} api={api} onDone={done} />
        ))}
      </ul>
    </Section>
  )
}

/** The reasons for which a call can no longer be decided about. */
const GONE: Record<string, string> = {
  CALL_DECIDED: "Another decision was made before.",
  CALL_NOT_WAITING: "This no longer waits for a decision.",
  TURN_FINISHED: "This request has already ended.",
  NOT_FOUND: "This request no longer exists.",
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
      onDone(decision === "allow" ? `You allowed ${tool}.` : `You denied ${tool}.`)
    } catch (error) {
      setBusy(null)
      const gone = error instanceof PortalError && error.code !== null ? GONE[error.code] : undefined
      if (gone) onDone(gone)
      else if (!hasEnded(error)) setFailed(true)
    }
  }
  return (
    <li>
      <p>
        <b>{tool}</b>{" "}
        <span class="muted">
          since <Moment at={since} />
        </span>
      </p>
      {excerpt && <p class="muted cut">{excerpt}</p>}
      <Input of={input} />
      <p class="muted">
        Expires <Moment at={expires_at} />
      </p>
      {api.preview && <p class="muted">This is a preview, so it decides about nothing.</p>}
      {failed && (
        <p role="alert" class="warn">
          Your decision could not be sent. Try again.
        </p>
      )}
      <div class="actions">
        <button
          type="button"
          class="primary"
          aria-disabled={api.preview || busy !== null}
          onClick={() => api.preview || decide("allow")}
        >
          {busy === "allow" ? "Allowing…" : "Allow"}
        </button>
        <button
          type="button"
          aria-disabled={api.preview || busy !== null}
          onClick={() => api.preview || decide("deny")}
        >
          {busy === "deny" ? "Denying…" : "Deny"}
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

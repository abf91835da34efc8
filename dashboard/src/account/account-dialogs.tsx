import type { Identity, Session } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { ConfirmDialog } from "../ui/dialog.tsx"
import { toast } from "../ui/toast.tsx"

export function UnlinkDialog({ identity, onClose }: { identity: Identity; onClose: () => void }) {
  const unlink = useChange("unlinkIdentity", { changes: ["listIdentities"] })
  const done = () => {
    toast("The identity is unlinked.")
    onClose()
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Unlink the identity ${identity.email ?? identity.subject}?`}
      about={`You can no longer sign in with this identity from ${identity.issuer}. Existing sessions stay active.`}
      verb="Unlink"
      busy={unlink.isPending}
      error={unlink.error}
      onConfirm={() => unlink.mutate({ path: { identity_id: identity.identity_id } }, { onSuccess: done })}
    />
  )
}

export function RemoveTracesDialog({ onClose }: { onClose: () => void }) {
  const remove = useChange("deleteTraceEndpoint", { changes: ["getTraceEndpoint"] })
  const done = () => {
    toast("The endpoint is removed.")
    onClose()
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title="Remove the endpoint for traces?"
      about="No more spans are sent, and the stored headers are deleted. Spans that were sent stay at your collector."
      verb="Remove"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(undefined, { onSuccess: done })}
    />
  )
}

export function EndSessionDialog({ session, onClose }: { session: Session; onClose: () => void }) {
  const end = useChange("endSession")
  const done = () => {
    toast("The session is ended.")
    onClose()
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={
        session.current
          ? "End your current session?"
          : `End the session from ${session.address ?? "an unknown address"}?`
      }
      about={`Browser: ${session.user_agent ?? "unknown"}. It is signed out immediately${session.current ? ". This is the browser that you use now" : ""}.`}
      verb="End session"
      busy={end.isPending}
      error={end.error}
      onConfirm={() => end.mutate({ path: { session_id: session.session_id } }, { onSuccess: done })}
    />
  )
}

export function EndOtherSessionsDialog({ others, onClose }: { others: number; onClose: () => void }) {
  const end = useChange("endSessions", { changes: ["listSessions"] })
  const done = () => {
    toast("All other sessions are ended.")
    onClose()
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`End the ${others.toLocaleString()} other sessions?`}
      about="All other browsers and apps are signed out. Your current session stays active."
      verb="End sessions"
      busy={end.isPending}
      error={end.error}
      onConfirm={() => end.mutate({ query: { which: "others" } }, { onSuccess: done })}
    />
  )
}

export function RemoveFactorDialog({ onClose }: { onClose: () => void }) {
  const remove = useChange("removeSecondFactor")
  const done = () => {
    toast("The second factor is removed.")
    onClose()
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title="Remove your second factor?"
      about="Signing in no longer asks for a code, and the recovery codes stop working. You can set up a new second factor."
      verb="Remove"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(undefined, { onSuccess: done })}
    />
  )
}

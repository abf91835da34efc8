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
      about={`It does not sign you in any more. Sessions that it opened go on. Its issuer is ${identity.issuer}.`}
      verb="Unlink it"
      busy={unlink.isPending}
      error={unlink.error}
      onConfirm={() => unlink.mutate({ path: { identity_id: identity.identity_id } }, { onSuccess: done })}
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
          ? "End the session that you are in?"
          : `End the session at ${session.address ?? "an unknown address"}?`
      }
      about={`${session.user_agent ?? "Its browser did not say what it is"}. Whoever uses it must sign in again${session.current ? ": that is you" : ""}.`}
      verb="End it"
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
      title={`End the ${others.toLocaleString("en-US")} other sessions?`}
      about="Every other browser and app must sign in again. The session that you are in goes on."
      verb="End them"
      busy={end.isPending}
      error={end.error}
      onConfirm={() => end.mutate({ query: { which: "others" } }, { onSuccess: done })}
    />
  )
}

export function RemoveFactorDialog({ onRemoved, onClose }: { onRemoved: () => void; onClose: () => void }) {
  const remove = useChange("removeSecondFactor")
  const done = () => {
    toast("The second factor is removed.")
    onRemoved()
    onClose()
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title="Remove your second factor?"
      about="Signing in asks for no code any more, and the recovery codes are worth nothing. You can set up another one."
      verb="Remove it"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(undefined, { onSuccess: done })}
    />
  )
}

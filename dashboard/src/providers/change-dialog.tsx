import { useState } from "react"
import type { Provider } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { AnswerDialog, ConfirmDialog } from "../ui/dialog.tsx"
import { ErrorState } from "../ui/error-state.tsx"
import { TextInput } from "../ui/field.tsx"
import { toast } from "../ui/toast.tsx"

export type ProviderChange = { kind: "disable" | "remove"; provider: Provider }

/** Takes an account out of use: for now, or for good. */
export const ProviderChangeDialog = (props: ProviderChange & { onClose: () => void }) =>
  props.kind === "remove" ? <RemoveProvider {...props} /> : <DisableProvider {...props} />

function RemoveProvider({ provider, onClose }: ProviderChange & { onClose: () => void }) {
  const remove = useChange("removeProvider")
  const { provider_id, name } = provider
  const gone = () => {
    toast(`${name} is removed.`)
    onClose()
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Remove the account ${name}?`}
      about="Its credential is deleted, also when it is the last account of its pool. Nothing brings it back but another login; what it has served stays in the reports."
      verb="Remove it"
      typed={name}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ path: { provider_id } }, { onSuccess: gone })}
    />
  )
}

function DisableProvider({ provider, onClose }: ProviderChange & { onClose: () => void }) {
  const disable = useChange("disableProvider")
  const disableAlt = useChange("disableAltPoolAccount")
  const [reason, setReason] = useState("")
  const { provider_id, name, pool } = provider
  const done = {
    onSuccess: () => {
      toast(`${name} is disabled.`)
      onClose()
    },
  }
  const isAlt = pool === "alt-pool"
  const { isPending, error } = isAlt ? disableAlt : disable
  const send = () =>
    isAlt
      ? disableAlt.mutate({ path: { account_id: provider_id } }, done)
      : disable.mutate({ path: { provider_id }, body: { ...(reason && { reason }) } }, done)
  return (
    <AnswerDialog
      open
      onClose={onClose}
      onSubmit={send}
      title={`Disable the account ${name}?`}
      about="Nothing new is routed to it, and its credential is not refreshed. Calls that run go on."
      actions={
        <>
          <Button onClick={onClose}>Keep it as it is</Button>
          <Button type="submit" kind="danger" busy={isPending}>
            Disable it
          </Button>
        </>
      }
    >
      {!isAlt && (
        <TextInput
          label="Reason"
          hint="For other admins; may be left out."
          name="reason"
          error={error}
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
      )}
      {error ? <ErrorState error={error} /> : null}
    </AnswerDialog>
  )
}

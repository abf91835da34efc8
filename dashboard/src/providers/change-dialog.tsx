import { useState } from "react"
import type { Provider } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { AnswerDialog, ConfirmDialog, DismissButton } from "../ui/dialog.tsx"
import { ErrorState } from "../ui/error-state.tsx"
import { TextInput } from "../ui/field.tsx"
import { toast } from "../ui/toast.tsx"

export type ProviderChange = { kind: "disable" | "remove"; provider: Provider }

/** Disables a provider account, or removes it permanently. */
export const ProviderChangeDialog = (props: ProviderChange & { onClose: () => void }) =>
  props.kind === "remove" ? <RemoveProvider {...props} /> : <DisableProvider {...props} />

function RemoveProvider({ provider, onClose }: ProviderChange & { onClose: () => void }) {
  const remove = useChange("removeProvider")
  const { provider_id, name, pool, last_healthy } = provider
  const gone = (removed: Provider) => {
    toast(`${name} was removed.${removed.last_healthy ? ` The pool ${pool} has no healthy account now.` : ""}`)
    onClose()
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Remove the account ${name}?`}
      about={
        <>
          {last_healthy && (
            <strong className="font-strong">
              This empties the pool {pool}: no other account in it is enabled and healthy.{" "}
            </strong>
          )}
          This deletes its credential. To use it again, log in again. Its past usage stays in the reports.
        </>
      }
      verb="Remove"
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
      toast(`${name} was disabled.`)
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
      about="No new calls are routed to it, and its credential is not refreshed. Running calls continue."
      actions={
        <>
          <DismissButton />
          <Button type="submit" kind="danger" busy={isPending}>
            Disable
          </Button>
        </>
      }
    >
      {!isAlt && (
        <TextInput
          label="Reason"
          hint="Optional. Other admins see it."
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

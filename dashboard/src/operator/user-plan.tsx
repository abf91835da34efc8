import { useState } from "react"
import type { UserDetail } from "../api/operations.ts"
import { useChange, useRead } from "../api/query.ts"
import { ConfirmDialog } from "../ui/dialog.tsx"
import { Select, TextArea, TextInput } from "../ui/field.tsx"
import { toast } from "../ui/toast.tsx"
import { OperatorEditDialog } from "./edit-dialog.tsx"
import { operatorNameOf } from "./parts.tsx"

interface Props {
  userOf: UserDetail
  what: "give" | "edit" | "end"
  onClose: () => void
}

const dayOf = (at: string | null | undefined) => at?.slice(0, 10) ?? ""
const instantOf = (day: string) => (day ? `${day}T00:00:00.000Z` : null)

/** Gives, changes or deactivates a user's plan. */
export function OperatorUserPlan({ userOf, what, onClose }: Props) {
  if (what === "end") return <EndPlan userOf={userOf} onClose={onClose} />
  return <PlanForm userOf={userOf} isNew={what === "give"} onClose={onClose} />
}

function PlanForm({ userOf, isNew, onClose }: { userOf: UserDetail; isNew: boolean; onClose: () => void }) {
  const settings = useRead("listSettings")
  const create = useChange("createSubscription")
  const update = useChange("updateSubscription")
  const change = isNew ? create : update
  const active = userOf.subscription
  const [plan, setPlan] = useState(active?.plan ?? "")
  const [ends, setEnds] = useState(dayOf(active?.ends_at))
  const [note, setNote] = useState("")
  const plans = Object.entries(
    (settings.data?.items.find(({ key }) => key === "plans")?.value ?? {}) as Record<string, { label: string }>,
  ).map(([id, { label }]) => [id, `${label} (${id})`] as const)
  const onSuccess = () => {
    toast(`${operatorNameOf(userOf)} has the plan ${plan}.`)
    onClose()
  }
  const changed = { plan, ends_at: instantOf(ends), ...(note && { note }) }
  const save = (ifMatch?: number) =>
    isNew
      ? create.mutate({ body: { user_id: userOf.user_id, ...changed } }, { onSuccess })
      : update.mutate({ path: { sub_id: active?.sub_id ?? 0 }, body: changed, ifMatch }, { onSuccess })
  return (
    <OperatorEditDialog
      title={isNew ? `Give ${operatorNameOf(userOf)} a plan` : `Change the plan of ${operatorNameOf(userOf)}`}
      about="The credit that the plan includes is booked once for each month of it."
      verb={isNew ? "Give it" : "Save"}
      change={change}
      save={save}
      mine={changed}
      onClose={onClose}
      disabled={!plan}
    >
      <Select
        label="Plan"
        name="plan"
        value={plan}
        options={[["", "Choose a plan"], ...plans]}
        hint="Plans are a setting."
        error={change.error}
        onChange={({ target }) => setPlan(target.value)}
      />
      <TextInput
        label="Ends on (UTC)"
        name="ends_at"
        type="date"
        hint="Empty: not by itself. The day itself does not count."
        value={ends}
        error={change.error}
        onChange={({ target }) => setEnds(target.value)}
      />
      <TextArea
        label="Note"
        name="note"
        rows={2}
        value={note}
        error={change.error}
        onChange={({ target }) => setNote(target.value)}
      />
    </OperatorEditDialog>
  )
}

function EndPlan({ userOf, onClose }: Omit<Props, "what">) {
  const change = useChange("deactivateSubscription")
  const { subscription } = userOf
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Deactivate the plan ${subscription?.plan} of ${operatorNameOf(userOf)}?`}
      about="It counts no longer from now on, and no further month of it is booked. What was booked stays."
      verb="Deactivate"
      busy={change.isPending}
      error={change.error}
      onConfirm={() =>
        change.mutate(
          { path: { sub_id: subscription?.sub_id ?? 0 } },
          {
            onSuccess: () => {
              toast("The plan is deactivated.")
              onClose()
            },
          },
        )
      }
    />
  )
}

import { useState } from "react"
import { useChange } from "../api/query.ts"
import { OperatorEditDialog } from "../operator/edit-dialog.tsx"
import { OperatorUserPicker } from "../operator/user-picker.tsx"
import { toast } from "../ui/toast.tsx"
import { OperatorPlanFields, operatorPlanBody } from "./plan-fields.tsx"

/** Gives a user a plan. Pressing twice gives one. */
export function OperatorGivePlan({ onClose }: { onClose: () => void }) {
  const change = useChange("createSubscription")
  const [key] = useState(() => crypto.randomUUID())
  const [userId, setUserId] = useState<number | null>(null)
  const [text, setText] = useState({ plan: "", ends: "", note: "" })
  const save = () =>
    change.mutate(
      { body: { user_id: userId ?? 0, ...operatorPlanBody(text) }, idempotencyKey: key },
      {
        onSuccess: ({ user_id, plan }) => {
          toast(`User ${user_id} has the plan ${plan}.`)
          onClose()
        },
      },
    )
  return (
    <OperatorEditDialog
      title="Give a plan"
      about="The credit that the plan includes is booked once for each month of it."
      verb="Give it"
      change={change}
      save={save}
      onClose={onClose}
      disabled={userId === null || !text.plan}
    >
      <OperatorUserPicker value={userId} onChange={setUserId} />
      <OperatorPlanFields text={text} onChange={setText} error={change.error} />
    </OperatorEditDialog>
  )
}

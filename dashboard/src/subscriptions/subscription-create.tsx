import { useState } from "react"
import { useChange } from "../api/query.ts"
import { OperatorEditDialog } from "../operator/edit-dialog.tsx"
import { OperatorUserPicker } from "../operator/user-picker.tsx"
import { useDraft } from "../ui/draft.ts"
import { toast } from "../ui/toast.tsx"
import { OperatorOtherPlan, type OtherPlan, operatorOtherPlanBody } from "./other-plan.tsx"
import { OperatorPlanFields, operatorPlanBody } from "./plan-fields.tsx"

/** Assigns a plan to a user. */
export function OperatorGivePlan({ onClose }: { onClose: () => void }) {
  const draft = useDraft("subscription.new")
  const change = useChange("createSubscription", { draft })
  const [userId, setUserId] = useState<number | null>(null)
  const [text, setText] = draft.useField("text", { plan: "", ends: "", note: "" })
  const [other, setOther] = useState<OtherPlan>("")
  const save = () =>
    change.mutate(
      { body: { user_id: userId ?? 0, ...operatorPlanBody(text), ...operatorOtherPlanBody(other, change.error) } },
      {
        onSuccess: ({ user_id, plan }) => {
          toast(`User ${user_id} now has the plan ${plan}.`)
          onClose()
        },
      },
    )
  return (
    <OperatorEditDialog
      draft={draft}
      title="Assign a plan"
      about="The credit of the plan is added once for each month."
      verb="Assign"
      change={change}
      save={save}
      onClose={onClose}
      disabled={userId === null || !text.plan}
    >
      <OperatorUserPicker value={userId} onChange={setUserId} />
      <OperatorPlanFields text={text} onChange={setText} error={change.error} />
      <OperatorOtherPlan error={change.error} value={other} onChange={setOther} />
    </OperatorEditDialog>
  )
}

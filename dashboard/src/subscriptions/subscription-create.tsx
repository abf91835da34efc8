import { useState } from "react"
import { useChange } from "../api/query.ts"
import { EditDialog } from "../operator/edit-dialog.tsx"
import { UserPicker } from "../operator/user-picker.tsx"
import { useDraft } from "../ui/draft.ts"
import { toast } from "../ui/toast.tsx"
import { type OtherPlan, OtherPlanField, otherPlanBody } from "./other-plan.tsx"
import { PlanFields, planBody } from "./plan-fields.tsx"

/** Assigns a plan to a user. */
export function GivePlan({ onClose }: { onClose: () => void }) {
  const draft = useDraft("subscription.new")
  const change = useChange("createSubscription", { draft })
  const [userId, setUserId] = useState<number | null>(null)
  const [text, setText] = draft.useField("text", { plan: "", ends: "", note: "" })
  const [other, setOther] = useState<OtherPlan>("")
  const save = () =>
    change.mutate(
      { body: { user_id: userId ?? 0, ...planBody(text), ...otherPlanBody(other, change.error) } },
      {
        onSuccess: ({ user_id, plan }) => {
          toast(`User ${user_id} now has the plan ${plan}.`)
          onClose()
        },
      },
    )
  return (
    <EditDialog
      draft={draft}
      title="Assign a plan"
      about="The credit of the plan is added once for each month."
      verb="Assign"
      change={change}
      save={save}
      onClose={onClose}
      disabled={userId === null || !text.plan}
    >
      <UserPicker value={userId} onChange={setUserId} />
      <PlanFields text={text} onChange={setText} error={change.error} />
      <OtherPlanField error={change.error} value={other} onChange={setOther} />
    </EditDialog>
  )
}

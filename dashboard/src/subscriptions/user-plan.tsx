import { useState } from "react"
import type { Subscription, UserDetail } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { OperatorEditDialog } from "../operator/edit-dialog.tsx"
import { operatorNameOf } from "../operator/parts.tsx"
import { ConfirmDialog } from "../ui/dialog.tsx"
import { useDraft } from "../ui/draft.ts"
import { toast } from "../ui/toast.tsx"
import { OperatorOtherPlan, type OtherPlan, operatorOtherPlanBody } from "./other-plan.tsx"
import { OperatorPlanFields, operatorPlanBody } from "./plan-fields.tsx"

interface Props {
  userOf: UserDetail
  /** The subscription to edit or to end; null for a new one. */
  of: Subscription | null
  what: "give" | "edit" | "end"
  onClose: () => void
}

/** Assigns, changes or deactivates a plan of a user. */
export function OperatorUserPlan({ userOf, of, what, onClose }: Props) {
  if (what === "end" && of) return <EndPlan userOf={userOf} of={of} onClose={onClose} />
  return <PlanForm userOf={userOf} of={of} onClose={onClose} />
}

function PlanForm({ userOf, of, onClose }: Omit<Props, "what">) {
  const draft = useDraft(`plan.${of ? `edit.${of.sub_id}` : userOf.user_id}`)
  const create = useChange("createSubscription", { draft })
  const update = useChange("updateSubscription", { draft })
  const change = of ? update : create
  const [other, setOther] = useState<OtherPlan>("")
  const [text, setText] = draft.useField("text", {
    plan: of?.plan ?? "",
    ends: of?.ends_at?.slice(0, 10) ?? "",
    note: of?.note ?? "",
  })
  const body = operatorPlanBody(text)
  const onSuccess = () => {
    toast(`${operatorNameOf(userOf)} now has the plan ${text.plan}.`)
    onClose()
  }
  const save = (ifMatch?: number) => {
    const more = operatorOtherPlanBody(other, change.error)
    return of
      ? update.mutate({ path: { sub_id: of.sub_id }, body: { ...body, ...more }, ifMatch }, { onSuccess })
      : create.mutate({ body: { user_id: userOf.user_id, ...body, ...more } }, { onSuccess })
  }
  return (
    <OperatorEditDialog
      draft={draft}
      title={of ? `Change the plan of ${operatorNameOf(userOf)}` : `Assign a plan to ${operatorNameOf(userOf)}`}
      about="The credit of the plan is added once for each month."
      verb={of ? "Save" : "Assign"}
      change={change}
      save={save}
      mine={body}
      version={of?.version}
      onClose={onClose}
      disabled={!text.plan}
    >
      <OperatorPlanFields text={text} onChange={setText} error={change.error} />
      <OperatorOtherPlan error={change.error} value={other} onChange={setOther} isEdit={of !== null} />
    </OperatorEditDialog>
  )
}

function EndPlan({ userOf, of, onClose }: { userOf: UserDetail; of: Subscription; onClose: () => void }) {
  const change = useChange("deactivateSubscription")
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Deactivate the plan ${of.plan} of ${operatorNameOf(userOf)}?`}
      about="The plan ends now, and no further monthly credit is added. Credit that was already added stays."
      verb="Deactivate"
      busy={change.isPending}
      error={change.error}
      onConfirm={() =>
        change.mutate(
          { path: { sub_id: of.sub_id } },
          {
            onSuccess: () => {
              toast("The plan was deactivated.")
              onClose()
            },
          },
        )
      }
    />
  )
}

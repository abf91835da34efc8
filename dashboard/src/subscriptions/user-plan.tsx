import { useState } from "react"
import type { Subscription, UserDetail } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { EditDialog } from "../operator/edit-dialog.tsx"
import { nameOf } from "../operator/parts.tsx"
import { ConfirmDialog } from "../ui/dialog.tsx"
import { useDraft } from "../ui/draft.ts"
import { toast } from "../ui/toast.tsx"
import { type OtherPlan, OtherPlanField, otherPlanBody } from "./other-plan.tsx"
import { PlanFields, planBody } from "./plan-fields.tsx"

interface Props {
  userOf: UserDetail
  /** The subscription to edit or to end; null for a new one. */
  of: Subscription | null
  what: "give" | "edit" | "end"
  onClose: () => void
}

/** Assigns, changes or deactivates a plan of a user. */
export function UserPlan({ userOf, of, what, onClose }: Props) {
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
  const body = planBody(text)
  const onSuccess = () => {
    toast(`${nameOf(userOf)} now has the plan ${text.plan}.`)
    onClose()
  }
  const save = (ifMatch?: number) => {
    const more = otherPlanBody(other, change.error)
    return of
      ? update.mutate({ path: { sub_id: of.sub_id }, body: { ...body, ...more }, ifMatch }, { onSuccess })
      : create.mutate({ body: { user_id: userOf.user_id, ...body, ...more } }, { onSuccess })
  }
  return (
    <EditDialog
      draft={draft}
      title={of ? `Change the plan of ${nameOf(userOf)}` : `Assign a plan to ${nameOf(userOf)}`}
      about="The credit of the plan is added once for each month."
      verb={of ? "Save" : "Assign"}
      change={change}
      save={save}
      mine={body}
      version={of?.version}
      onClose={onClose}
      disabled={!text.plan}
    >
      <PlanFields text={text} onChange={setText} error={change.error} />
      <OtherPlanField error={change.error} value={other} onChange={setOther} isEdit={of !== null} />
    </EditDialog>
  )
}

function EndPlan({ userOf, of, onClose }: { userOf: UserDetail; of: Subscription; onClose: () => void }) {
  const change = useChange("deactivateSubscription")
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Deactivate the plan ${of.plan} of ${nameOf(userOf)}?`}
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

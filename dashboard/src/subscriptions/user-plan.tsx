import type { UserDetail } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { OperatorEditDialog } from "../operator/edit-dialog.tsx"
import { operatorNameOf } from "../operator/parts.tsx"
import { ConfirmDialog } from "../ui/dialog.tsx"
import { useDraft } from "../ui/draft.ts"
import { toast } from "../ui/toast.tsx"
import { OperatorPlanFields, operatorPlanBody } from "./plan-fields.tsx"

interface Props {
  userOf: UserDetail
  what: "give" | "edit" | "end"
  onClose: () => void
}

/** Assigns, changes or deactivates the plan of a user. */
export function OperatorUserPlan({ userOf, what, onClose }: Props) {
  if (what === "end") return <EndPlan userOf={userOf} onClose={onClose} />
  return <PlanForm userOf={userOf} isNew={what === "give"} onClose={onClose} />
}

function PlanForm({ userOf, isNew, onClose }: { userOf: UserDetail; isNew: boolean; onClose: () => void }) {
  const draft = useDraft(`plan.${userOf.user_id}`)
  const create = useChange("createSubscription", { draft })
  const update = useChange("updateSubscription", { draft })
  const change = isNew ? create : update
  const active = userOf.subscription
  const [text, setText] = draft.useField("text", {
    plan: active?.plan ?? "",
    ends: active?.ends_at?.slice(0, 10) ?? "",
    note: "",
  })
  const body = operatorPlanBody(text)
  const onSuccess = () => {
    toast(`${operatorNameOf(userOf)} now has the plan ${text.plan}.`)
    onClose()
  }
  const save = (ifMatch?: number) =>
    isNew
      ? create.mutate({ body: { user_id: userOf.user_id, ...body } }, { onSuccess })
      : update.mutate({ path: { sub_id: active?.sub_id ?? 0 }, body, ifMatch }, { onSuccess })
  return (
    <OperatorEditDialog
      draft={draft}
      title={isNew ? `Assign a plan to ${operatorNameOf(userOf)}` : `Change the plan of ${operatorNameOf(userOf)}`}
      about="The credit of the plan is added once for each month."
      verb={isNew ? "Assign" : "Save"}
      change={change}
      save={save}
      mine={body}
      onClose={onClose}
      disabled={!text.plan}
    >
      <OperatorPlanFields text={text} onChange={setText} error={change.error} />
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
      about="The plan ends now, and no further monthly credit is added. Credit that was already added stays."
      verb="Deactivate"
      busy={change.isPending}
      error={change.error}
      onConfirm={() =>
        change.mutate(
          { path: { sub_id: subscription?.sub_id ?? 0 } },
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

import { useNavigate } from "@tanstack/react-router"
import { useChange } from "../api/query.ts"
import { Dialog } from "../ui/dialog.tsx"
import { useDraft } from "../ui/draft.ts"
import { TextInput } from "../ui/field.tsx"
import { toast } from "../ui/toast.tsx"
import { EndUserLimitsForm } from "./limits-form.tsx"

const NONE = { daily_usd: null, monthly_usd: null, rate: null }

/** Sets the caps of an end user, who may not have any turn yet. */
export function CapEndUserDialog({ test, onClose }: { test: true | undefined; onClose: () => void }) {
  const draft = useDraft("end-user.new")
  const put = useChange("putEndUserLimits", { changes: ["listEndUsers", "getEndUser"], draft })
  const navigate = useNavigate()
  const [ref, setRef] = draft.useField("ref", "")
  return (
    <Dialog
      open
      draft={draft}
      onClose={onClose}
      title="Set caps for an end user"
      about="This replaces the current caps of the end user, and unblocks a blocked one."
    >
      <EndUserLimitsForm
        inDialog
        draft={draft}
        limits={NONE}
        verb="Save the caps"
        busy={put.isPending}
        error={put.error}
        disabled={ref === ""}
        onSave={(limits) =>
          put.mutate(
            { path: { end_user_ref: ref }, query: { test: test && "true" }, body: { ...limits, blocked: false } },
            {
              onSuccess: ({ end_user_ref }) => {
                toast(`The caps of ${end_user_ref} are saved.`)
                void navigate({
                  to: "/end-users/$endUserRef",
                  params: { endUserRef: end_user_ref },
                  search: { test },
                })
              },
            },
          )
        }
      >
        <TextInput
          label="End user"
          hint="The end_user_ref that your turns use."
          placeholder="customer-42"
          autoComplete="off"
          name="end_user_ref"
          error={put.error}
          value={ref}
          onChange={({ target }) => setRef(target.value)}
        />
      </EndUserLimitsForm>
    </Dialog>
  )
}

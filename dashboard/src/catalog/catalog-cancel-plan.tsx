import type { ModelCatalogRow } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { ConfirmEdit } from "../operator/confirm-edit.tsx"
import { exactUtc } from "../ui/exact-time.ts"
import { toast } from "../ui/toast.tsx"
import { rowChanges } from "./catalog-changes.ts"
import { PriceChanges } from "./catalog-price-changes.tsx"

/** Shows the planned prices of a model, and cancels them. */
export function CancelPlan({ of, onClose }: { of: ModelCatalogRow; onClose: () => void }) {
  const change = useChange("cancelPlannedPrices", { changes: ["listModelCatalog", "listModelProposals"] })
  const { planned_prices: plan } = of
  if (plan === null) return null
  const save = (ifMatch: number) =>
    change.mutate(
      { path: { pin: of.pin }, ifMatch },
      {
        onSuccess: () => {
          toast(`The planned prices of ${of.label} are cancelled.`)
          onClose()
        },
      },
    )
  return (
    <ConfirmEdit
      title={`Cancel the planned prices of ${of.label}?`}
      about={`They would begin at ${exactUtc(plan.begins_at)}. The current prices count on.`}
      verb="Cancel plan"
      change={change}
      save={save}
      mine={{}}
      version={of.version}
      onClose={onClose}
    >
      <PriceChanges lines={rowChanges(of, { ...of, ...plan })} />
    </ConfirmEdit>
  )
}

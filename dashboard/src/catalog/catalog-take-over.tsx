import { useState } from "react"
import type { ComparedModel, ModelCatalogRow } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { ConfirmEdit } from "../operator/confirm-edit.tsx"
import { BeginFields, beginOf, instantOfBegin } from "../ui/begin-fields.tsx"
import { toast } from "../ui/toast.tsx"
import { proposalChanges } from "./catalog-changes.ts"
import { PriceChanges } from "./catalog-price-changes.tsx"

interface TakeOverProps {
  of: ModelCatalogRow
  proposal: NonNullable<ComparedModel["proposal"]>
  onClose: () => void
}

const CHANGES = { changes: ["listModelCatalog", "listModelProposals"] } satisfies Parameters<typeof useChange>[1]

/** Shows the prices that a proposal changes, and takes it over: now, or from a moment on. */
export function TakeOver({ of, proposal: { begins_at, prices }, onClose }: TakeOverProps) {
  const [begin, setBegin] = useState(beginOf(begins_at))
  const now = useChange("putModelPrices", CHANGES)
  const later = useChange("planModelPrices", CHANGES)
  const begins = instantOfBegin(begin)
  const isPlan = begins !== null
  const save = (ifMatch: number) => {
    const done = (text: string) => ({
      onSuccess: () => {
        toast(text)
        onClose()
      },
    })
    const path = { pin: of.pin }
    if (!isPlan) return now.mutate({ path, body: prices, ifMatch }, done(`${of.label} has the new prices.`))
    later.mutate(
      { path, body: { begins_at: begins, prices }, ifMatch },
      done(`The new prices of ${of.label} are planned.`),
    )
  }
  return (
    <ConfirmEdit
      title={`Take the proposed prices of ${of.label} over?`}
      about="Turns that are accepted before keep their prices."
      verb={isPlan ? "Plan prices" : "Take over"}
      safe
      change={isPlan ? later : now}
      save={save}
      mine={prices}
      version={of.version}
      onClose={onClose}
    >
      {of.provider_prices && <p>{of.markup ? "Ours follow with the markup." : "Our own list stays."}</p>}
      <PriceChanges lines={proposalChanges(of, prices)} />
      <BeginFields begin={begin} onChange={setBegin} error={later.error} />
    </ConfirmEdit>
  )
}

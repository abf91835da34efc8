import { useState } from "react"
import type { ComparedModel, ModelCatalogRow } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { ConfirmEdit } from "../operator/confirm-edit.tsx"
import { fieldOfInstant, instantOfField } from "../ui/days.ts"
import { Select, TextInput } from "../ui/field.tsx"
import { toast } from "../ui/toast.tsx"
import { proposalChanges } from "./catalog-changes.ts"
import { PriceChanges } from "./catalog-price-changes.tsx"

interface TakeOverProps {
  of: ModelCatalogRow
  proposal: NonNullable<ComparedModel["proposal"]>
  onClose: () => void
}

const CHANGES = { changes: ["listModelCatalog", "listModelProposals"] } satisfies Parameters<typeof useChange>[1]

const BEGINS = [
  ["now", "Now"],
  ["later", "At a time"],
] as const

/** Shows the prices that a proposal changes, and takes it over: now, or from a moment on. */
export function TakeOver({ of, proposal: { begins_at, prices }, onClose }: TakeOverProps) {
  const [when, setWhen] = useState(begins_at ? "later" : "now")
  const [moment, setMoment] = useState(begins_at ? fieldOfInstant(begins_at) : "")
  const now = useChange("putModelPrices", CHANGES)
  const later = useChange("planModelPrices", CHANGES)
  const isPlan = when === "later"
  const save = (ifMatch: number) => {
    const done = (text: string) => ({
      onSuccess: () => {
        toast(text)
        onClose()
      },
    })
    const path = { pin: of.pin }
    if (!isPlan) return now.mutate({ path, body: prices, ifMatch }, done(`${of.label} has the new prices.`))
    const body = { begins_at: moment === "" ? "" : instantOfField(moment), prices }
    later.mutate({ path, body, ifMatch }, done(`The new prices of ${of.label} are planned.`))
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
      <Select label="Begin" options={BEGINS} value={when} onChange={({ target }) => setWhen(target.value)} />
      {isPlan && (
        <TextInput
          label="From (UTC)"
          name="begins_at"
          type="datetime-local"
          error={later.error}
          value={moment}
          onChange={({ target }) => setMoment(target.value)}
        />
      )}
    </ConfirmEdit>
  )
}

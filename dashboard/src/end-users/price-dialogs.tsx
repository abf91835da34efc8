import type { Price } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { choicesOf } from "../api/words.ts"
import { Button } from "../ui/button.tsx"
import { ConfirmDialog, Dialog, DismissButton } from "../ui/dialog.tsx"
import { useDraft } from "../ui/draft.ts"
import { ErrorState } from "../ui/error-state.tsx"
import { Form, Select, TextInput } from "../ui/field.tsx"
import { plainNumber, typedNumber } from "../ui/plain.ts"
import { toast } from "../ui/toast.tsx"
import { isComplete, modelRowsOf, PriceModels, perModelOf } from "./price-models.tsx"

const MODES = choicesOf<Price["rounding"]["mode"]>({ nearest: "Nearest", up: "Up", down: "Down" })

interface PriceDialogProps {
  /** Null: a new price. */
  price: Price | null
  test: true | undefined
  onClose: () => void
}

export function PriceDialog({ price, test, onClose }: PriceDialogProps) {
  const draft = useDraft(`price.${price?.name ?? "new"}`)
  const put = useChange("putPrice", { changes: ["listPrices", "getPrice"], draft })
  const [name, setName] = draft.useField("name", price?.name ?? "")
  const [multiplier, setMultiplier] = draft.useField("multiplier", plainNumber(price?.multiplier ?? 1))
  const [perTurn, setPerTurn] = draft.useField("perTurn", plainNumber(price?.per_turn_usd ?? 0))
  const [to, setTo] = draft.useField("to", plainNumber(price?.rounding.to_usd ?? 0.0000001))
  const [mode, setMode] = draft.useField("mode", price?.rounding.mode ?? "nearest")
  const rounding = { to_usd: typedNumber(to), mode: mode as Price["rounding"]["mode"] }
  const [models, setModels] = draft.useField("models", modelRowsOf(price?.per_model ?? {}))
  return (
    <Dialog
      open
      draft={draft}
      onClose={onClose}
      title={price ? `Change the price ${price.name}` : "Set a price"}
      about="Turns that are accepted from now on get a new version. Open turns keep theirs."
    >
      <Form
        label="Price"
        onSubmit={() =>
          put.mutate(
            {
              path: { name },
              query: { test: test && "true" },
              body: {
                multiplier: typedNumber(multiplier),
                per_turn_usd: typedNumber(perTurn),
                rounding,
                per_model: perModelOf(models),
              },
            },
            {
              onSuccess: (saved) => {
                toast(`Version ${saved.version} of the price ${saved.name} applies to new turns.`)
                onClose()
              },
            },
          )
        }
        actions={
          <>
            <Button kind="primary" type="submit" busy={put.isPending} disabled={name === "" || !isComplete(models)}>
              Save the price
            </Button>
            <DismissButton />
          </>
        }
      >
        {!price && (
          <TextInput
            label="Name"
            hint="Lower-case letters, digits, - and _."
            autoComplete="off"
            name="name"
            error={put.error}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        )}
        <TextInput
          label="Multiplier"
          hint="Multiplied with the billed amount of each model call."
          inputMode="decimal"
          autoComplete="off"
          name="multiplier"
          error={put.error}
          value={multiplier}
          onChange={({ target }) => setMultiplier(target.value)}
        />
        <PriceModels rows={models} onChange={setModels} error={put.error} test={test} />
        <TextInput
          label="Per turn (USD)"
          hint="Added for each turn with a model call."
          inputMode="decimal"
          autoComplete="off"
          name="per_turn_usd"
          error={put.error}
          value={perTurn}
          onChange={({ target }) => setPerTurn(target.value)}
        />
        <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
          <TextInput
            label="Round to (USD)"
            inputMode="decimal"
            autoComplete="off"
            name="rounding.to_usd"
            error={put.error}
            value={to}
            onChange={({ target }) => setTo(target.value)}
          />
          <Select
            label="Rounding"
            name="rounding.mode"
            value={mode}
            onChange={({ target }) => setMode(target.value as typeof mode)}
            options={MODES}
          />
        </div>
        {put.error ? <ErrorState error={put.error} /> : null}
      </Form>
    </Dialog>
  )
}

export function DeletePriceDialog({ price: { name }, test, onClose }: PriceDialogProps & { price: Price }) {
  const remove = useChange("deletePrice", { changes: ["listPrices"] })
  const done = () => {
    toast(`The price ${name} is deleted.`)
    onClose()
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Delete the price ${name}?`}
      about="Accepted turns keep it. A price that is in use cannot be deleted."
      verb="Delete price"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ path: { name }, query: { test: test && "true" } }, { onSuccess: done })}
    />
  )
}

import type { Price } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { choicesOf } from "../api/words.ts"
import { BeginFields, beginOf, instantOfBegin } from "../ui/begin-fields.tsx"
import { Button } from "../ui/button.tsx"
import { ConfirmDialog, Dialog, DismissButton } from "../ui/dialog.tsx"
import { useDraft } from "../ui/draft.ts"
import { ErrorState } from "../ui/error-state.tsx"
import { Form, Select, TextInput } from "../ui/field.tsx"
import { plainNumber, typedNumber } from "../ui/plain.ts"
import { toast } from "../ui/toast.tsx"
import { Time } from "../ui/values.tsx"
import { isComplete, modelRowsOf, PriceModels, perModelOf } from "./price-models.tsx"

type Mode = Price["rounding"]["mode"]
const MODES = choicesOf<Mode>({ nearest: "Nearest", up: "Up", down: "Down" })

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
  const [mode, setMode] = draft.useField<Mode>("mode", price?.rounding.mode ?? "nearest")
  const rounding = { to_usd: typedNumber(to), mode }
  const [models, setModels] = draft.useField("models", modelRowsOf(price?.per_model ?? {}))
  const [begin, setBegin] = draft.useField("begin", beginOf(null))
  const begins_at = instantOfBegin(begin)
  return (
    <Dialog
      open
      draft={draft}
      onClose={onClose}
      title={price ? `Change the price ${price.name}` : "Set a price"}
      about={`Turns that are accepted from ${begins_at === null ? "now" : "then"} on get a new version. Turns that were accepted before keep theirs.`}
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
                begins_at,
              },
            },
            {
              onSuccess: (saved) => {
                const { name, version, planned } = saved
                if (planned) toast(`Version ${planned.version} of the price ${name} is planned.`)
                else toast(`Version ${version} of the price ${name} applies to new turns.`)
                onClose()
              },
            },
          )
        }
        actions={
          <>
            <Button kind="primary" type="submit" busy={put.isPending} disabled={name === "" || !isComplete(models)}>
              {begins_at === null ? "Save the price" : "Plan the price"}
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
        <RoundingFields to={to} onTo={setTo} mode={mode} onMode={setMode} error={put.error} />
        {price && <BeginFields begin={begin} onChange={setBegin} error={put.error} />}
        {price?.planned && (
          <p className="text-muted">
            Version {price.planned.version} is planned from <Time at={price.planned.begins_at} exact /> on. Saving
            replaces it.
          </p>
        )}
        {put.error ? <ErrorState error={put.error} /> : null}
      </Form>
    </Dialog>
  )
}

interface RoundingProps {
  to: string
  onTo: (to: string) => void
  mode: Mode
  onMode: (mode: Mode) => void
  error: unknown
}

function RoundingFields({ to, onTo, mode, onMode, error }: RoundingProps) {
  return (
    <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
      <TextInput
        label="Round to (USD)"
        inputMode="decimal"
        autoComplete="off"
        name="rounding.to_usd"
        error={error}
        value={to}
        onChange={({ target }) => onTo(target.value)}
      />
      <Select
        label="Rounding"
        name="rounding.mode"
        value={mode}
        onChange={({ target }) => onMode(target.value as Mode)}
        options={MODES}
      />
    </div>
  )
}

/** Cancels a planned version: the present values become a newer one. */
export function CancelPriceDialog({ price, test, onClose }: PriceDialogProps & { price: Price }) {
  const put = useChange("putPrice", { changes: ["listPrices", "getPrice"] })
  const { name, multiplier, per_model, per_turn_usd, rounding, planned } = price
  const done = () => {
    toast(`The planned price of ${name} is cancelled.`)
    onClose()
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Cancel the planned price of ${name}?`}
      about={`Version ${planned?.version} will never begin. New turns keep the present values.`}
      verb="Cancel the plan"
      busy={put.isPending}
      error={put.error}
      onConfirm={() =>
        put.mutate(
          {
            path: { name },
            query: { test: test && "true" },
            body: { multiplier, per_model, per_turn_usd, rounding },
          },
          { onSuccess: done },
        )
      }
    />
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

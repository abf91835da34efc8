import type { ModelCatalogAdd } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { ModelCatalogAddRules } from "../api/rules.ts"
import { choicesOf } from "../api/words.ts"
import { EditDialog } from "../operator/edit-dialog.tsx"
import { useDraft } from "../ui/draft.ts"
import { Checkbox, Select, TextInput } from "../ui/field.tsx"
import { toast } from "../ui/toast.tsx"
import { PriceForm } from "./catalog-price-form.tsx"
import { NO_TEXTS, rowPricesFrom, textsAreWhole } from "./catalog-sources.ts"

const KINDS = choicesOf<ModelKind>({ chat: "Chat", image: "Pictures" })

type ModelKind = NonNullable<ModelCatalogAdd["kind"]>

const whole = (text: string) => (text.trim() === "" ? undefined : Number(text))

/** Adds a model with its prices. `next` is the `sort_order` of the new model. */
export function AddModel({ next, onClose }: { next: number; onClose: () => void }) {
  const draft = useDraft("model.new")
  const change = useChange("addModel", { changes: ["listModelCatalog"], draft })
  const [engine, setEngine] = draft.useField<ModelCatalogAdd["engine"]>("engine", "openai")
  const [kind, setKind] = draft.useField<ModelKind>("kind", ModelCatalogAddRules.kind.default)
  const [enabled, setEnabled] = draft.useField<boolean>("enabled", ModelCatalogAddRules.enabled.default)
  const [prices, setPrices] = draft.useField("texts", NO_TEXTS)
  const [text, setText] = draft.useField("text", {
    model: "",
    label: "",
    max_output_tokens: String(ModelCatalogAddRules.max_output_tokens.default),
    context_tokens: "",
    idle_seconds: "",
  })
  const field = (name: keyof typeof text) => ({
    name,
    value: text[name],
    error: change.error,
    onChange: ({ target }: { target: { value: string } }) => setText({ ...text, [name]: target.value }),
  })
  const save = () =>
    change.mutate(
      {
        body: {
          engine,
          model: text.model,
          label: text.label,
          kind,
          enabled,
          sort_order: next,
          max_output_tokens: whole(text.max_output_tokens),
          context_tokens: whole(text.context_tokens),
          idle_seconds: whole(text.idle_seconds),
          ...rowPricesFrom(kind, prices),
        },
      },
      {
        onSuccess: ({ label }) => {
          toast(`${label} was added to the catalog.`)
          onClose()
        },
      },
    )
  return (
    <EditDialog
      draft={draft}
      title="Add a model"
      about="The model is added at the end of the catalog."
      verb="Add"
      change={change}
      save={save}
      onClose={onClose}
      disabled={!text.model || !text.label || !textsAreWhole(prices, kind)}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <Select
          label="Engine"
          name="engine"
          value={engine}
          options={ModelCatalogAddRules.engine.words}
          error={change.error}
          onChange={({ target }) => setEngine(target.value as ModelCatalogAdd["engine"])}
        />
        <Select
          label="Kind"
          name="kind"
          value={kind}
          options={KINDS}
          onChange={({ target }) => setKind(target.value as ModelKind)}
        />
        <TextInput label="Model" hint="The name that the provider uses" {...field("model")} />
        <TextInput label="Name" hint="The name that users see" {...field("label")} />
      </div>
      <PriceForm kind={kind} texts={prices} onChange={setPrices} error={change.error} asRow />
      <div className="grid gap-4 sm:grid-cols-3">
        <TextInput label="Max output tokens" inputMode="numeric" hint="Per call" {...field("max_output_tokens")} />
        <TextInput
          label="Context window (tokens)"
          inputMode="numeric"
          hint="Leave empty if unknown"
          {...field("context_tokens")}
        />
        <TextInput label="Idle timeout (seconds)" inputMode="numeric" hint="Default: 60" {...field("idle_seconds")} />
      </div>
      <Checkbox
        label="Enabled"
        hint="New turns can use the model at once."
        checked={enabled}
        onChange={({ target }) => setEnabled(target.checked)}
      />
    </EditDialog>
  )
}

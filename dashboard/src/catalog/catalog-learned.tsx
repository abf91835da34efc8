import { useState } from "react"
import type { ModelCatalogRow } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { choicesOf } from "../api/words.ts"
import { EditDialog } from "../operator/edit-dialog.tsx"
import { useDraft } from "../ui/draft.ts"
import { Checkbox, TextInput } from "../ui/field.tsx"
import { toast } from "../ui/toast.tsx"

const SETTINGS = choicesOf<NonNullable<ModelCatalogRow["learned"]["without"]>[number]>({
  temperature: "Leave out the temperature",
  reasoning: "Leave out the effort of reasoning",
  stop: "Leave out stop sequences",
  response_format: "Ask for results with a form by a tool",
  service_tier: "Leave out the service tier",
})

const whole = (text: string) => (text.trim() === "" ? undefined : Number(text))
const textOf = (value: number | undefined) => (value === undefined ? "" : String(value))

export function EditLearned({ of, onClose }: { of: ModelCatalogRow; onClose: () => void }) {
  const draft = useDraft(`model.learned.${of.pin}`, { version: of.version })
  const change = useChange("patchModel", { changes: ["listModelCatalog"], draft })
  const [output, setOutput] = draft.useField("max_output_tokens", textOf(of.learned.max_output_tokens))
  const [context, setContext] = draft.useField("context_tokens", textOf(of.learned.context_tokens))
  const [images, setImages] = draft.useField("images", textOf(of.learned.images))
  const [without, setWithout] = useState(of.learned.without ?? [])
  const learned = {
    max_output_tokens: whole(output),
    context_tokens: whole(context),
    images: whole(images),
    ...(without.length > 0 && { without }),
  }
  const save = (ifMatch?: number) =>
    change.mutate(
      { path: { pin: of.pin }, body: { learned }, ifMatch },
      {
        onSuccess: () => {
          toast(`The limits of ${of.label} are saved.`)
          onClose()
        },
      },
    )
  return (
    <EditDialog
      draft={draft}
      title={`Limits of ${of.label}`}
      about="Refusals of the provider have taught these limits. Calls keep within them. An empty field has no limit until the next refusal."
      verb="Save"
      change={change}
      save={save}
      mine={learned}
      version={of.version}
      onClose={onClose}
    >
      <TextInput
        label="Output tokens"
        name="max_output_tokens"
        inputMode="numeric"
        value={output}
        error={change.error}
        onChange={({ target }) => setOutput(target.value)}
      />
      <TextInput
        label="Context tokens"
        name="context_tokens"
        inputMode="numeric"
        value={context}
        error={change.error}
        onChange={({ target }) => setContext(target.value)}
      />
      <TextInput
        label="Images in a call"
        name="images"
        inputMode="numeric"
        value={images}
        error={change.error}
        onChange={({ target }) => setImages(target.value)}
      />
      {SETTINGS.map(([setting, label]) => (
        <Checkbox
          key={setting}
          label={label}
          checked={without.includes(setting)}
          onChange={({ target }) =>
            setWithout(target.checked ? [...without, setting] : without.filter((one) => one !== setting))
          }
        />
      ))}
    </EditDialog>
  )
}

import { Checkbox } from "../ui/field.tsx"
import type { ManifestDraft } from "./manifest-draft.ts"
import { ModelSelect } from "./model-select.tsx"

interface SummaryFieldsProps extends Pick<ManifestDraft, "summary" | "summary_model"> {
  error: unknown
  test: true | undefined
  onChange: (change: Partial<ManifestDraft>) => void
}

/** Whether turns that leave the history are summarised, and by which model. */
export function SummaryFields({ summary, summary_model, error, test, onChange }: SummaryFieldsProps) {
  return (
    <>
      <Checkbox
        label="Summarise turns that leave the history"
        hint="By a model call that is billed. Later turns see the summary."
        checked={summary}
        onChange={({ target }) => onChange({ summary: target.checked })}
      />
      {summary && (
        <ModelSelect
          label="Model of summaries"
          none="The model of the turn"
          hint="A small model is enough."
          name="history.model"
          error={error}
          value={summary_model}
          test={test}
          onChange={(model) => onChange({ summary_model: model })}
        />
      )}
    </>
  )
}

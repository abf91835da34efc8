import { useRead } from "../api/query.ts"
import { Select, TextArea, TextInput } from "../ui/field.tsx"

interface PlanText {
  plan: string
  /** A day such as `2026-01-31`; empty if the plan has no end. */
  ends: string
  note: string
}

/** Converts the form to fields of the request body. */
export const planBody = ({ plan, ends, note }: PlanText) => ({
  plan,
  ends_at: ends ? `${ends}T00:00:00.000Z` : null,
  ...(note && { note }),
})

interface FieldsProps {
  text: PlanText
  onChange: (text: PlanText) => void
  error: unknown
}

/** The fields of a subscription except its user. */
export function PlanFields({ text, onChange, error }: FieldsProps) {
  const settings = useRead("listSettings")
  const plans = settings.data?.items.find(({ key }) => key === "plans")?.value ?? {}
  const options = Object.entries(plans as Record<string, { label: string }>).map(
    ([id, { label }]) => [id, `${label} (${id})`] as const,
  )
  return (
    <>
      <Select
        label="Plan"
        name="plan"
        value={text.plan}
        options={[["", "Choose a plan"], ...options]}
        hint="Plans are defined in the settings."
        error={error}
        onChange={({ target }) => onChange({ ...text, plan: target.value })}
      />
      <TextInput
        label="Ends on (UTC)"
        name="ends_at"
        type="date"
        hint="Leave empty for no end date. The plan ends at 00:00 UTC on this day."
        value={text.ends}
        error={error}
        onChange={({ target }) => onChange({ ...text, ends: target.value })}
      />
      <TextArea
        label="Note"
        name="note"
        rows={2}
        value={text.note}
        error={error}
        onChange={({ target }) => onChange({ ...text, note: target.value })}
      />
    </>
  )
}

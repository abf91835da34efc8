import { useRead } from "../api/query.ts"
import { Select, TextArea, TextInput } from "../ui/field.tsx"

interface PlanTime {
  plan: string
  /** A day such as `2026-01-31`; empty if the plan has no end. */
  ends: string
}

interface PlanText extends PlanTime {
  note: string
}

/** Converts the form to fields of the request body. */
export const planBody = ({ note, ...time }: PlanText) => ({ ...planTimeBody(time), ...(note && { note }) })

export const planTimeBody = ({ plan, ends }: PlanTime) => ({ plan, ends_at: ends ? `${ends}T00:00:00.000Z` : null })

interface FieldsProps<Text> {
  text: Text
  onChange: (text: Text) => void
  error: unknown
}

/** The plan of a subscription, and its end. */
export function PlanTimeFields<Text extends PlanTime>({ text, onChange, error }: FieldsProps<Text>) {
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
    </>
  )
}

/** The fields of a subscription except its user. */
export function PlanFields({ text, onChange, error }: FieldsProps<PlanText>) {
  return (
    <>
      <PlanTimeFields text={text} onChange={onChange} error={error} />
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

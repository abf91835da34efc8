import { fieldOfInstant, instantOfField } from "./days.ts"
import { Select, TextInput } from "./field.tsx"

/** When a change begins, in a form. */
export interface Begin {
  when: "now" | "later"
  /** The text of the field of the time, in UTC. */
  moment: string
}

const WHEN = [
  ["now", "Now"],
  ["later", "At a time"],
] as const

export const beginOf = (begins_at: string | null): Begin =>
  begins_at === null ? { when: "now", moment: "" } : { when: "later", moment: fieldOfInstant(begins_at) }

/** Null: now. A time that is not given yet is empty, so that the service names it. */
export const instantOfBegin = ({ when, moment }: Begin) =>
  when === "now" ? null : moment === "" ? "" : instantOfField(moment)

interface BeginProps {
  begin: Begin
  onChange: (begin: Begin) => void
  error: unknown
}

/** The fields of a change that begins now, or at a time. */
export function BeginFields({ begin, onChange, error }: BeginProps) {
  return (
    <>
      <Select
        label="Begin"
        options={WHEN}
        value={begin.when}
        onChange={({ target }) => onChange({ ...begin, when: target.value as Begin["when"] })}
      />
      {begin.when === "later" && (
        <TextInput
          label="From (UTC)"
          name="begins_at"
          type="datetime-local"
          error={error}
          value={begin.moment}
          onChange={({ target }) => onChange({ ...begin, moment: target.value })}
        />
      )}
    </>
  )
}

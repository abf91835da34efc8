import { type ReactNode, useId, useState } from "react"
import { Button } from "./button.tsx"
import { TextArea } from "./field.tsx"
import { readJson } from "./json-text.ts"

export interface JsonFieldProps {
  label: string
  name: string
  /** The value as JSON. Empty: no value. */
  value: string
  onChange: (text: string) => void
  error: unknown
  disabled?: boolean
}

interface JsonViewsProps extends JsonFieldProps {
  hint?: ReactNode
  rows: number
  /** The form for the value; null if the value has parts that the form does not know. */
  form: ReactNode | null
}

/** A value that is edited in a form, or as JSON. */
export function JsonViews({ label, hint, rows, form, value, onChange, ...rest }: JsonViewsProps) {
  const [asJson, setAsJson] = useState(false)
  const id = useId()
  const isForm = !asJson && form !== null && readJson(value).error === undefined
  return (
    <fieldset aria-labelledby={id} className="flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <span id={id} className="font-strong">
          {label}
        </span>
        {(form !== null || asJson) && (
          <Button
            kind="quiet"
            aria-label={isForm ? `Edit ${label} as JSON` : `Edit ${label} as a form`}
            disabled={!isForm && form === null}
            onClick={() => setAsJson(isForm)}
          >
            {isForm ? "JSON" : "Form"}
          </Button>
        )}
      </div>
      {isForm ? (
        <>
          {form}
          {hint && <div className="text-muted text-xs">{hint}</div>}
        </>
      ) : (
        <TextArea
          mono
          {...rest}
          label={`${label} as JSON`}
          hint={hint}
          rows={rows}
          value={value}
          error={readJson(value).error ?? rest.error}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </fieldset>
  )
}

/**
 * The rows of a form whose value is JSON. Rows that are not complete yet, such as one without a name, stay here, and
 * are not part of the value. Another value from outside replaces them.
 */
export function useJsonRows<Row>(
  { value, onChange }: JsonFieldProps,
  { read, write }: { read: (text: string) => Row[] | null; write: (rows: readonly Row[]) => string },
) {
  const [own, setOwn] = useState(() => ({ text: value, rows: read(value) }))
  if (own.text !== value) setOwn({ text: value, rows: read(value) })
  const set = (rows: Row[]) => {
    const text = write(rows)
    setOwn({ text, rows })
    onChange(text)
  }
  return { rows: own.text === value ? own.rows : read(value), set }
}

/** The names that more than one row has. */
export const doublesOf = (names: readonly string[]) =>
  new Set(names.filter((name, at) => name !== "" && names.indexOf(name) !== at))

/** A message about names that more than one row has; null if there are none. */
export function Doubles({ names }: { names: readonly string[] }) {
  const doubles = [...doublesOf(names)]
  if (doubles.length === 0) return null
  return (
    <p role="alert" className="text-bad text-xs">
      {doubles.join(", ")}: each name can be used once. The last one counts.
    </p>
  )
}

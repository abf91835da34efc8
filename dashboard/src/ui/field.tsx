import { Switch as BaseSwitch } from "@base-ui/react/switch"
import { type ComponentProps, type ReactNode, useId } from "react"
import { ApiError } from "../api/api-error.ts"
import type { Draft } from "./draft.ts"
import { RestoredNote } from "./restored-note.tsx"

export interface FieldProps {
  label: string
  hint?: ReactNode
  /** A message, or an API error. Only the API's fault for the field `name` is shown. */
  error?: unknown
  name?: string
}

const CONTROL =
  "min-h-8 w-full rounded-md border border-edge bg-bg px-2 text-text placeholder:text-muted aria-invalid:border-bad disabled:opacity-60"

const wordsOf = (error: unknown, name: string | undefined): string | undefined =>
  error instanceof ApiError ? (name === undefined ? undefined : error.faultOf(name)) : error ? String(error) : undefined

interface ControlProps {
  id: string
  name: string | undefined
  "aria-describedby": string | undefined
  "aria-invalid": true | undefined
  className: string
}

/** A control with its label, hint and error. `children` gets the attributes that connect them. */
export function Field({
  label,
  hint,
  error,
  name,
  children,
}: FieldProps & { children: (control: ControlProps) => ReactNode }) {
  const id = useId()
  const words = wordsOf(error, name)
  const described = [hint && `${id}-hint`, words && `${id}-error`].filter(Boolean).join(" ")
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="font-strong">
        {label}
      </label>
      {children({
        id,
        name,
        "aria-describedby": described || undefined,
        "aria-invalid": words ? true : undefined,
        className: CONTROL,
      })}
      {hint && (
        <div id={`${id}-hint`} className="text-muted text-xs">
          {hint}
        </div>
      )}
      {words && (
        <div id={`${id}-error`} role="alert" className="text-bad text-xs">
          {words}
        </div>
      )}
    </div>
  )
}

type Of<Element extends "input" | "textarea" | "select"> = Omit<ComponentProps<Element>, "id" | "name" | "className"> &
  FieldProps

export const TextInput = ({ label, hint, error, name, ...rest }: Of<"input">) => (
  <Field label={label} hint={hint} error={error} name={name}>
    {(control) => <input type="text" {...rest} {...control} />}
  </Field>
)

export const TextArea = ({ label, hint, error, name, mono, ...rest }: Of<"textarea"> & { mono?: boolean }) => (
  <Field label={label} hint={hint} error={error} name={name}>
    {({ className, ...control }) => (
      <textarea rows={4} {...rest} {...control} className={`${className} py-1 ${mono ? "font-mono text-xs" : ""}`} />
    )}
  </Field>
)

/** A native select, which works with every keyboard and screen reader. */
export const Select = ({
  label,
  hint,
  error,
  name,
  options,
  ...rest
}: Of<"select"> & { options: readonly (string | readonly [value: string, label: string])[] }) => (
  <Field label={label} hint={hint} error={error} name={name}>
    {(control) => (
      <select {...rest} {...control}>
        {options.map((option) => {
          const [value, text] = typeof option === "string" ? [option, option] : option
          return (
            <option key={value} value={value}>
              {text}
            </option>
          )
        })}
      </select>
    )}
  </Field>
)

export const Checkbox = ({
  label,
  hint,
  ...rest
}: Omit<ComponentProps<"input">, "type" | "className"> & { label: ReactNode; hint?: ReactNode }) => (
  <label className="flex items-start gap-2">
    <span className="flex h-5 items-center">
      <input type="checkbox" {...rest} className="size-4 accent-accent" />
    </span>
    <span>
      {label}
      {hint && <span className="block text-muted text-xs">{hint}</span>}
    </span>
  </label>
)

/** A switch that takes effect immediately. In a form, use a Checkbox. */
export function Switch({
  label,
  checked,
  onChange,
  disabled = false,
}: {
  label: string
  checked: boolean
  onChange: (checked: boolean) => void
  disabled?: boolean
}) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the switch inside is its control
    <label className="inline-flex h-8 items-center gap-2">
      <BaseSwitch.Root
        checked={checked}
        disabled={disabled}
        onCheckedChange={onChange}
        className="flex h-5 w-9 items-center rounded-full border border-edge bg-hover px-0.5 data-checked:border-accent data-checked:bg-accent data-disabled:opacity-60"
      >
        <BaseSwitch.Thumb className="size-3.5 rounded-full bg-edge motion-safe:transition-transform data-checked:translate-x-4 data-checked:bg-on-accent" />
      </BaseSwitch.Root>
      {label}
    </label>
  )
}

interface FormProps {
  onSubmit: () => void
  children: ReactNode
  actions: ReactNode
  label?: string
  /** The draft of a form on a page. In a dialog, the dialog has it. */
  draft?: Draft
}

/** A form with fields in one column and its buttons. */
export function Form({ onSubmit, children, actions, label, draft }: FormProps) {
  return (
    <form
      aria-label={label}
      noValidate
      className="flex max-w-[560px] flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      <RestoredNote draft={draft} />
      {children}
      <div className="flex flex-wrap gap-2">{actions}</div>
    </form>
  )
}

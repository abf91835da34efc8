import { useNavigate } from "@tanstack/react-router"
import { type ReactNode, useEffect, useRef, useState } from "react"
import { Button } from "./button.tsx"
import { fieldOfInstant, instantOfField } from "./days.ts"

/** Below 640 px, two controls share a row. */
const HALF = "max-sm:w-[calc(50%-4px)]"
/** The classes of every control of a filter bar. */
export const FILTER_CONTROL = "h-8 min-w-0 rounded-md border border-edge bg-bg px-2 placeholder:text-muted"

const STEP = { step: true }

/**
 * Changes parameters of the URL and returns to the first page. An undefined value removes its parameter. With `step`,
 * the browser's button Back undoes the change.
 */
export function useFilters() {
  const navigate = useNavigate()
  return (change: Record<string, string | number | true | undefined>, { step = false } = {}) =>
    void navigate({
      to: ".",
      search: ((old: object) => ({ ...old, offset: undefined, cursor: undefined, ...change })) as never,
      replace: !step,
      resetScroll: false,
    })
}

interface FilterBarProps {
  /** The filters by name. If one has a value, a button clears them all. */
  set: Record<string, unknown>
  children: ReactNode
  /** Content at the end of the bar, such as the CSV link. */
  end?: ReactNode
}

export function FilterBar({ set, children, end }: FilterBarProps) {
  const change = useFilters()
  const names = Object.keys(set).filter((name) => set[name] !== undefined)
  return (
    <search aria-label="Filters" className="flex flex-wrap items-end gap-2">
      {children}
      {names.length > 0 && (
        <Button kind="quiet" onClick={() => change(Object.fromEntries(names.map((name) => [name, undefined])), STEP)}>
          Clear filters
        </Button>
      )}
      {end && <div className="ml-auto">{end}</div>}
    </search>
  )
}

interface FilterProps {
  label: string
  /** The parameter of the URL. */
  name: string
  value: string | undefined
}

/** A text filter. It applies shortly after the last key, or immediately on Enter. */
export function TextFilter({ label, name, value = "", wide }: FilterProps & { wide?: boolean }) {
  const change = useFilters()
  const [text, setText] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => setText(value), [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  const send = (next: string) => {
    clearTimeout(timer.current)
    // Pauses in a word are no steps of their own.
    if (next !== value) change({ [name]: next || undefined }, { step: value === "" || next === "" })
  }
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      value={text}
      className={`${FILTER_CONTROL} ${wide ? "w-[280px] max-w-full" : `w-[180px] ${HALF}`}`}
      onChange={({ target }) => {
        setText(target.value)
        clearTimeout(timer.current)
        timer.current = setTimeout(() => send(target.value), 300)
      }}
      onKeyDown={({ key }) => key === "Enter" && send(text)}
    />
  )
}

interface ChoiceFilterProps extends FilterProps {
  /** The choice without a filter, such as "All states". */
  all: string
  options: readonly (string | readonly [value: string, label: string])[]
  /** The options are read from the API. A width of its own keeps the page from moving when they come. */
  read?: boolean
}

/** A select filter. */
export function ChoiceFilter({ label, name, value, all, options, read = false }: ChoiceFilterProps) {
  const change = useFilters()
  return (
    <select
      aria-label={label}
      value={value ?? ""}
      className={`${FILTER_CONTROL} ${HALF} ${read ? "w-[180px]" : ""}`}
      onChange={({ target }) => change({ [name]: target.value || undefined }, STEP)}
    >
      <option value="">{all}</option>
      {options.map((option) => {
        const [key, text] = typeof option === "string" ? [option, option.replaceAll("_", " ")] : option
        return (
          <option key={key} value={key}>
            {text}
          </option>
        )
      })}
    </select>
  )
}

interface RangePickerProps {
  from: string | undefined
  to: string | undefined
  /** The parameters of the URL, such as `["created_after", "created_before"]`. */
  names: readonly [from: string, to: string]
}

/** A time range in UTC. Its ends are instants; undefined means an open end. */
export function RangePicker({ from, to, names }: RangePickerProps) {
  const change = useFilters()
  const ends = [
    { label: "From (UTC)", name: names[0], at: from },
    { label: "To (UTC)", name: names[1], at: to },
  ]
  return ends.map(({ label, name, at }) => (
    <label key={name} className="flex items-center gap-2 text-muted text-xs">
      {label}
      <input
        type="datetime-local"
        value={at ? fieldOfInstant(at) : ""}
        onChange={({ target }) => change({ [name]: target.value ? instantOfField(target.value) : undefined }, STEP)}
        className={`${FILTER_CONTROL} text-sm text-text`}
      />
    </label>
  ))
}

/** A time range as a number of days until now. */
export function DaysPicker({ days, choices = [1, 7, 30, 90] }: { days: number; choices?: readonly number[] }) {
  const change = useFilters()
  return (
    <fieldset className="flex rounded-md border border-edge">
      <legend className="sr-only">Last days (UTC)</legend>
      {choices.map((choice) => (
        <button
          key={choice}
          type="button"
          aria-pressed={choice === days}
          onClick={() => change({ days: choice }, STEP)}
          className="h-[30px] px-3 text-muted first:rounded-l-md last:rounded-r-md hover:bg-hover aria-pressed:bg-accent-soft aria-pressed:font-strong aria-pressed:text-accent"
        >
          {choice === 1 ? "1 day" : `${choice} days`}
        </button>
      ))}
    </fieldset>
  )
}

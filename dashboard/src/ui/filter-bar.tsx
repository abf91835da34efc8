import { useNavigate } from "@tanstack/react-router"
import { type ReactNode, Suspense, useEffect, useId, useRef, useState } from "react"
import { Button } from "./button.tsx"
import { FilterChip } from "./filter-chip.tsx"
import { FilterPlace, useFilterPlace } from "./filter-place.ts"
import { lazyPart } from "./lazy-part.tsx"

/** Below 640 px, two controls share a row. */
const HALF = "max-sm:w-[calc(50%-4px)]"
/** The classes of every control of a filter bar. */
export const FILTER_CONTROL = "h-8 min-w-0 rounded-md border border-edge bg-bg px-2 placeholder:text-muted"

/** The change is a step of the history. */
export const STEP = { step: true }

const ViewsMenu = lazyPart(() => import("./views-menu.tsx").then((file) => ({ default: file.ViewsMenu })))
const FilterMenu = lazyPart(() => import("./filter-menu.tsx").then((file) => ({ default: file.FilterMenu })))

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
  /** The part that is always in view: the search, the range and ways to show the data. */
  children?: ReactNode
  /** The filters of the menu "Filter". Those with a value are shown as chips. */
  filters?: ReactNode
  /** The word under which this browser keeps saved views of the list. */
  views?: string
  /** Content at the end of the bar, such as the CSV link. */
  end?: ReactNode
}

export function FilterBar({ set, children, filters, views, end }: FilterBarProps) {
  const change = useFilters()
  const names = Object.keys(set).filter((name) => set[name] !== undefined)
  return (
    <search aria-label="Filters" className="flex flex-wrap items-end gap-2">
      {children}
      {filters && (
        <>
          <Suspense fallback={<span className="h-8 w-[84px]" />}>
            <FilterMenu>
              <FilterPlace value="menu">{filters}</FilterPlace>
            </FilterMenu>
          </Suspense>
          <FilterPlace value="chips">{filters}</FilterPlace>
        </>
      )}
      {names.length > 0 && (
        <Button kind="quiet" onClick={() => change(Object.fromEntries(names.map((name) => [name, undefined])), STEP)}>
          Clear filters
        </Button>
      )}
      <div className="ml-auto flex flex-wrap gap-2">
        {views && (
          <Suspense>
            <ViewsMenu list={views} />
          </Suspense>
        )}
        {end}
      </div>
    </search>
  )
}

interface FilterProps {
  label: string
  /** The parameter of the URL. */
  name: string
  value: string | undefined
}

interface ShownFilterProps {
  label: string
  /** The value in words. Undefined: no value is set. */
  words: string | undefined
  onRemove: () => void
  /** The control that changes the value. */
  children: ReactNode
  id?: string
}

/** A filter at its place: a chip, a field with a label, or the control alone. */
export function ShownFilter({ label, words, onRemove, children, id }: ShownFilterProps) {
  const place = useFilterPlace()
  if (place === "chips") return words !== undefined && <FilterChip label={label} words={words} onRemove={onRemove} />
  if (place === null) return children
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="font-strong">
        {label}
      </label>
      {children}
    </div>
  )
}

/** A text filter. It applies shortly after the last key, or immediately on Enter and when its menu closes. */
export function TextFilter({ label, name, value = "", wide }: FilterProps & { wide?: boolean }) {
  const change = useFilters()
  const id = useId()
  const isField = useFilterPlace() === "menu"
  const [text, setText] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => setText(value), [value])
  /** Sends the text that the timer still holds. */
  const sendHeld = useRef<() => void>(undefined)
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      sendHeld.current?.()
    },
    [],
  )
  const send = (next: string) => {
    clearTimeout(timer.current)
    sendHeld.current = undefined
    // Pauses in a word are no steps of their own.
    if (next !== value) change({ [name]: next || undefined }, { step: value === "" || next === "" })
  }
  return (
    <ShownFilter label={label} words={value || undefined} onRemove={() => send("")} id={id}>
      <input
        id={id}
        type="search"
        aria-label={label}
        placeholder={isField ? undefined : label}
        value={text}
        className={`${FILTER_CONTROL} ${isField ? "w-full" : wide ? "w-[280px] max-w-full" : `w-[180px] ${HALF}`}`}
        onChange={({ target }) => {
          setText(target.value)
          clearTimeout(timer.current)
          const { pathname } = location
          // This text is not for the next page, whose filters may have the same parameters.
          sendHeld.current = () => location.pathname === pathname && send(target.value)
          timer.current = setTimeout(sendHeld.current, 300)
        }}
        onKeyDown={({ key }) => key === "Enter" && send(text)}
      />
    </ShownFilter>
  )
}

interface ChoiceFilterProps extends FilterProps {
  /** The choice without a filter, such as "All states". */
  all: string
  options: readonly (string | readonly [value: string, label: string])[]
  /** Parameters that a choice also removes, such as an order that fits only the old one. */
  clears?: readonly string[]
  /** The options are read from the API. A width of its own keeps the page from moving when they come. */
  read?: boolean
}

/** A select filter. */
export function ChoiceFilter({ label, name, value, all, options, clears = [], read = false }: ChoiceFilterProps) {
  const change = useFilters()
  const id = useId()
  const isField = useFilterPlace() === "menu"
  const choices = options.map((option) =>
    typeof option === "string" ? ([option, option.replaceAll("_", " ")] as const) : option,
  )
  const words = value === undefined ? undefined : (choices.find(([key]) => key === value)?.[1] ?? value)
  const cleared = Object.fromEntries(clears.map((name) => [name, undefined]))
  const set = (next: string | undefined) => change({ ...cleared, [name]: next }, STEP)
  return (
    <ShownFilter label={label} words={words} onRemove={() => set(undefined)} id={id}>
      <select
        id={id}
        aria-label={label}
        value={value ?? ""}
        className={`${FILTER_CONTROL} ${isField ? "w-full" : `${HALF} ${read ? "w-[180px]" : ""}`}`}
        onChange={({ target }) => set(target.value || undefined)}
      >
        <option value="">{all}</option>
        {choices.map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
    </ShownFilter>
  )
}

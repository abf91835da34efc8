import { keepPreviousData, type UseQueryResult, useQuery } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import type { Answer, Arguments, OperationId } from "../api/call.ts"
import { queryOf } from "../api/query.ts"
import { useKeyNames, useSpaceTitles } from "../api/titles.ts"
import type { FieldProps } from "./field.tsx"
import { ChoiceFilter, FILTER_CONTROL, ShownFilter, STEP, useFilters } from "./filter-bar.tsx"
import { useFilterPlace } from "./filter-place.ts"
import { type Choice, SearchBox, SearchSelect } from "./search-select.tsx"

const FOUND = 20

/** The end of an id, by which two objects of the same name differ. */
const endOf = (id: string) => `…${id.slice(-5)}`

/** Reads the choices for a typed text. Undefined: the input has had no focus yet, so nothing is read. */
function useFound<Id extends OperationId>(
  q: string | undefined,
  id: Id,
  ...args: Arguments<Id>
): UseQueryResult<Answer<Id>> {
  return useQuery({ ...queryOf(id, ...args), enabled: q !== undefined, placeholderData: keepPreviousData })
}

interface SpaceSearch {
  test: true | undefined
  archived?: "all"
  /** The title of the chosen space, if the page knows it. */
  title?: string | undefined
}

/** The spaces that match a typed text, for a SearchSelect. */
function useSpaceSearch(value: string, { test, archived, title: known }: SpaceSearch) {
  const [q, setQ] = useState<string>()
  const query = { q: q || undefined, archived, test: test && ("true" as const), limit: FOUND }
  const found = useFound(q, "listSpaces", { query })
  const items = found.data?.items ?? []
  const title = useSpaceTitles(known === undefined ? [value] : [], test).get(value)
  return {
    value,
    shown: known ?? title ?? value,
    choices: items.map(({ space_id, title }) => ({ value: space_id, label: title, hint: endOf(space_id) })),
    loading: found.isLoading,
    more: Math.max(0, (found.data?.total ?? 0) - items.length),
    onSearch: setQ,
  }
}

/** The API keys that match a typed text, for a SearchSelect. */
function useKeySearch(value: string, test: true | undefined) {
  const [q, setQ] = useState<string>()
  const query = { q: q || undefined, test: test ? ("true" as const) : ("false" as const), limit: FOUND }
  const found = useFound(q, "listKeys", { query })
  const items = found.data?.items ?? []
  const name = useKeyNames([value], test).get(value)
  return {
    value,
    shown: name ?? value,
    choices: items.map(({ key_id, name }) => ({ value: key_id, label: name, hint: endOf(key_id) })),
    loading: found.isLoading,
    more: Math.max(0, (found.data?.total ?? 0) - items.length),
    onSearch: setQ,
  }
}

interface SpacePickerProps extends FieldProps {
  /** The id of the chosen space; empty: none. */
  value: string
  onChange: (spaceId: string) => void
  test: true | undefined
  /** The title of the chosen space, if the page knows it. Otherwise it is read. */
  title?: string
}

/** Chooses one of the active spaces, however many there are. */
export function SpacePicker({ value, onChange, test, title, ...field }: SpacePickerProps) {
  const search = useSpaceSearch(value, { test, title })
  return <SearchSelect {...field} {...search} placeholder="Select a space" onChange={onChange} />
}

interface KeyPickerProps extends FieldProps {
  /** The id of the chosen key; empty: none. */
  value: string
  test?: true | undefined
  onChange: (keyId: string) => void
}

/** Chooses one of the live or test API keys, however many there are. */
export function KeyPicker({ value, test, onChange, ...field }: KeyPickerProps) {
  return <SearchSelect {...field} {...useKeySearch(value, test)} placeholder="Select a key" onChange={onChange} />
}

interface EndUserPickerProps extends FieldProps {
  /** The end_user_ref; empty: none. */
  value: string
  maxLength: number
  test: true | undefined
  onChange: (endUserRef: string) => void
}

/** An end user. Known ones are suggested, those with the newest turns first, and any other id can be typed. */
export function EndUserPicker({ value, maxLength, test, onChange, ...field }: EndUserPickerProps) {
  const [q, setQ] = useState<string>()
  const query = { q: q || undefined, test: test && ("true" as const), limit: FOUND }
  const found = useFound(q, "listEndUsers", { query })
  const choices = (found.data?.data ?? []).map(({ end_user_ref: ref }) => ({ value: ref, label: ref }))
  return (
    <SearchSelect
      {...field}
      value={value}
      shown={value}
      choices={choices}
      loading={found.isLoading}
      more={0}
      freeLength={maxLength}
      onSearch={setQ}
      onChange={onChange}
      placeholder="none"
    />
  )
}

interface PickFilterProps {
  value: string | undefined
  test: true | undefined
}

/** Filters a list by a space, `?space=`. */
export function SpaceFilter({ value = "", test }: PickFilterProps) {
  const title = useSpaceTitles([value], test).get(value)
  return (
    <PickFilter label="Space" name="space" value={value} words={title}>
      {(pick) => <SpacePick value={value} test={test} {...pick} />}
    </PickFilter>
  )
}

/** Filters a list by an API key, `?key=`. */
export function KeyFilter({ value = "", test }: PickFilterProps) {
  const name = useKeyNames([value], test).get(value)
  return (
    <PickFilter label="API key" name="key" value={value} words={name}>
      {(pick) => <KeyPick value={value} test={test} {...pick} />}
    </PickFilter>
  )
}

/** Filters a list by a model of the catalog that the account can use, `?model=`. The catalog is read when needed. */
export function ModelFilter({ value, test }: PickFilterProps) {
  const isChip = useFilterPlace() === "chips"
  const models = useQuery({
    ...queryOf("listModels", { query: { test: test && "true" } }),
    enabled: !isChip || value !== undefined,
  })
  const known = models.data?.data.map(({ pin, label }) => [pin, label] as const) ?? []
  const options = value && known.every(([pin]) => pin !== value) ? [...known, [value, value] as const] : known
  return <ChoiceFilter label="Model" name="model" value={value} all="All models" options={options} read />
}

interface Picking {
  label: string
  onChange: (id: string) => void
}

interface PickProps {
  label: string
  name: string
  value: string
  /** The title of the chosen object, once it is read. */
  words: string | undefined
  children: (pick: Picking) => ReactNode
}

function PickFilter({ label, name, value, words, children }: PickProps) {
  const change = useFilters()
  const set = (id: string) => change({ [name]: id || undefined }, STEP)
  const shown = value === "" ? undefined : (words ?? value)
  return (
    <ShownFilter label={label} words={shown} onRemove={() => set("")}>
      {children({ label, onChange: set })}
    </ShownFilter>
  )
}

type PickOf = Picking & { value: string; test: true | undefined }

const SpacePick = ({ value, test, ...pick }: PickOf) => (
  <PickBox {...pick} all="All spaces" search={useSpaceSearch(value, { test, archived: "all" })} />
)

const KeyPick = ({ value, test, ...pick }: PickOf) => (
  <PickBox {...pick} all="All keys" search={useKeySearch(value, test)} />
)

function PickBox({
  label,
  all,
  search,
  onChange,
}: Picking & { all: string; search: ReturnType<typeof useSpaceSearch> }) {
  const isField = useFilterPlace() === "menu"
  const every: Choice[] = search.value ? [{ value: "", label: all }] : []
  return (
    <SearchBox
      {...search}
      choices={[...every, ...search.choices]}
      label={label}
      placeholder={all}
      onChange={onChange}
      className={isField ? "w-full" : "w-[180px] max-sm:w-[calc(50%-4px)]"}
      control={{ className: `${FILTER_CONTROL} w-full`, "aria-label": label }}
    />
  )
}

import { type KeyboardEvent, useEffect, useId, useState } from "react"
import { Field, type FieldProps } from "./field.tsx"
import { Icon } from "./icon.tsx"

export interface Choice {
  value: string
  label: string
  /** Tells choices with the same label apart. */
  hint?: string
}

interface SearchSelectProps {
  value: string
  /** The label of the value. It may not be among the choices that the search found. */
  shown: string
  /** The choices that the service found for the typed text. */
  choices: readonly Choice[]
  /** True while the first choices load. */
  loading: boolean
  /** The number of choices that match but are not listed. */
  more: number
  /** Gets the typed text after a short pause. An empty text lists the first choices: the input has got the focus. */
  onSearch: (text: string) => void
  onChange: (value: string) => void
  placeholder?: string
  /** Any text is a value, and the choices are suggestions. The most characters of the text. */
  freeLength?: number | undefined
}

const PAUSE_MS = 200

/** Chooses one of any number of choices: the service searches for the typed text. */
export function SearchSelect({ label, hint, error, name, ...rest }: SearchSelectProps & FieldProps) {
  return (
    <Field label={label} hint={hint} error={error} name={name}>
      {(control) => <SearchBox {...rest} label={label} control={control} />}
    </Field>
  )
}

interface SearchBoxProps extends SearchSelectProps {
  label: string
  /** The attributes of the input, such as its id and its classes. */
  control: { id?: string; name?: string | undefined; className: string; "aria-label"?: string }
  /** The classes of the box around the input. */
  className?: string
}

export function SearchBox(props: SearchBoxProps) {
  const { value, shown, choices, more, onSearch, onChange, placeholder, freeLength, label, control } = props
  const { className = "", loading } = props
  const isFree = freeLength !== undefined
  // Null: the list is closed, and the input shows the chosen label.
  const [text, setText] = useState<string | null>(null)
  const [at, setAt] = useState(-1)
  const list = useId()
  const isOpen = text !== null
  useEffect(() => {
    if (text === null) return
    const timer = setTimeout(() => onSearch(text.trim()), text ? PAUSE_MS : 0)
    return () => clearTimeout(timer)
  }, [text, onSearch])
  const open = () => setText(isFree ? value : "")
  const close = () => {
    setText(null)
    setAt(-1)
    onSearch("")
  }
  const choose = (choice: Choice | undefined) => {
    if (choice && choice.value !== value) onChange(choice.value)
    close()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0
    if (step) {
      if (!isOpen) open()
      else if (choices.length > 0) setAt((at + step + choices.length) % choices.length)
    } else if (event.key === "Enter" && isOpen)
      choose(choices[at] ?? (choices.length === 1 && !isFree ? choices[0] : undefined))
    else if (event.key === "Escape" && isOpen) close()
    else return
    event.preventDefault()
    // The dialog around it stays open.
    event.nativeEvent.stopImmediatePropagation()
    event.stopPropagation()
  }
  return (
    <div className={`relative min-w-0 ${className}`}>
      <input
        {...control}
        type="text"
        role="combobox"
        autoComplete="off"
        aria-expanded={isOpen}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && choices[at] ? `${list}-${at}` : undefined}
        maxLength={freeLength}
        placeholder={isOpen && !isFree ? shown || "Type to search" : placeholder}
        value={text ?? shown}
        onChange={({ target }) => {
          setText(target.value)
          setAt(-1)
          if (isFree) onChange(target.value)
        }}
        onFocus={() => onSearch("")}
        onClick={() => !isOpen && open()}
        onKeyDown={onKeyDown}
        onBlur={close}
      />
      <span className="pointer-events-none absolute top-2 right-2 text-muted">
        <Icon name="down" />
      </span>
      <div
        id={list}
        role="listbox"
        aria-label={label}
        hidden={!isOpen}
        className="absolute top-full left-0 z-30 mt-1 max-h-[240px] w-full min-w-[220px] overflow-y-auto rounded-md border border-line bg-raised p-1 shadow-lg"
      >
        {choices.map((choice, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input has the focus and handles the keys
          <div
            key={choice.value}
            id={`${list}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            // The input keeps the focus.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(choice)}
            className="flex cursor-pointer items-baseline gap-3 rounded-md px-2 py-1 hover:bg-hover aria-selected:bg-accent-soft"
          >
            <span className="min-w-0 grow truncate">{choice.label}</span>
            {choice.hint && <code className="shrink-0 text-muted text-xs">{choice.hint}</code>}
          </div>
        ))}
        {choices.length === 0 && (
          <p className="px-2 py-1 text-muted">
            {loading ? "Loading" : isFree ? "No known one matches." : "Nothing matches."}
          </p>
        )}
        {more > 0 && <p className="px-2 py-1 text-muted text-xs">{more.toLocaleString()} more. Type to search.</p>}
      </div>
    </div>
  )
}

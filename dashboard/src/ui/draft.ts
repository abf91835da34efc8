import { useQueryClient } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import { queryOf } from "../api/query.ts"
import { clearTab, readTab, writeTab } from "../api/tab-store.ts"

interface DraftOptions {
  /** The user may leave the page without a question, because the text comes back by itself on this page. */
  quiet?: boolean
  /** The version of the row that the form edits. */
  version?: number | undefined
}

interface FieldOptions {
  /** True, or the names of the properties that are secrets. Secrets count as typed, but they are not stored. */
  secret?: boolean | readonly string[]
}

interface DraftField {
  /** Shows a value in the form. */
  show: (value: never) => void
  initial: unknown
  saved: string
  now: unknown
  secret: boolean | readonly string[]
}

interface Stored {
  version?: number | undefined
  fields: Record<string, unknown>
}

/** The drafts of the forms on the page. */
const onPage = new Set<Draft>()

/** True if a form of the page has unsaved input. `leaving`: not counting forms that come back by themselves. */
export const hasUnsaved = ({ leaving = false } = {}): boolean =>
  [...onPage].some((draft) => draft.isDirty() && !(leaving && draft.quiet))

/** Forgets the drafts on the page. The user can then leave it without a question. */
export function dropDrafts(): void {
  onPage.clear()
  clearTab()
}

const textOf = (value: unknown) => JSON.stringify(value) ?? "null"

/** What a user has typed into a form. It is stored in this tab until it is saved or discarded. */
export class Draft {
  /** True if the form began with input from earlier. */
  restored = false
  /** The version of the row when the user began to type. A save must name it, so that it overwrites no newer one. */
  readonly version: number | undefined
  readonly quiet: boolean
  private readonly fields = new Map<string, DraftField>()
  private readonly stored: Stored | null
  private readonly name: string

  constructor(name: string, { quiet = false, version }: DraftOptions) {
    this.name = name
    this.quiet = quiet
    this.stored = storedIn(readTab(name))
    this.version = this.stored?.version ?? version
  }

  /** Like useState, for one field of the form. The value must be JSON. */
  useField<Value>(field: string, initial: Value, { secret = false }: FieldOptions = {}) {
    const [value, setValue] = useState<Value>(() => {
      const isStored = this.stored !== null && Object.hasOwn(this.stored.fields, field)
      const now = isStored ? (this.stored?.fields[field] as Value) : initial
      this.fields.set(field, { show: () => {}, initial, saved: textOf(initial), now, secret })
      if (textOf(now) !== textOf(initial)) this.restored = true
      return now
    })
    const known = this.fields.get(field)
    if (known) known.show = setValue
    const set = (change: Value | ((now: Value) => Value)) => {
      const next = change instanceof Function ? change(known ? (known.now as Value) : value) : change
      if (known) known.now = next
      this.store()
      setValue(() => next)
    }
    return [value, set] as const
  }

  isDirty(): boolean {
    return [...this.fields.values()].some(({ saved, now }) => textOf(now) !== saved)
  }

  /** Call it when a change begins to save the input, and the result when it is saved. Later input stays unsaved. */
  saving(): () => void {
    const sent = [...this.fields.values()].map((field) => [field, textOf(field.now)] as const)
    return () => {
      for (const [field, text] of sent) field.saved = text
      this.store()
    }
  }

  /** The input is saved or discarded: forgets it. The shown values become the saved ones. */
  clear(): void {
    for (const field of this.fields.values()) field.saved = textOf(field.now)
    writeTab(this.name, null)
  }

  /** Discards the input: the form shows what it would show without it. */
  reset(): void {
    for (const field of this.fields.values()) {
      field.now = field.initial
      field.show(field.initial as never)
    }
    this.clear()
  }

  private store(): void {
    const fields: Stored["fields"] = {}
    for (const [name, field] of this.fields) {
      const now = withoutSecrets(field)
      if (textOf(now) !== field.saved) fields[name] = now
    }
    const stored: Stored = { version: this.version, fields }
    writeTab(this.name, Object.keys(fields).length > 0 ? textOf(stored) : null)
  }
}

/** The value to store: secrets have their initial values. */
function withoutSecrets({ initial, now, secret }: DraftField): unknown {
  if (secret === true) return initial
  if (secret === false) return now
  const hidden = Object.entries(initial as object).filter(([name]) => secret.includes(name))
  return { ...(now as object), ...Object.fromEntries(hidden) }
}

function storedIn(text: string | null): Stored | null {
  try {
    return text === null ? null : (JSON.parse(text) as Stored)
  } catch {
    return null
  }
}

/** The draft of a form. Its name has the form and the object, and stays the same while the form is shown. */
export function useDraft(name: string, options: DraftOptions = {}): Draft {
  const user = useQueryClient().getQueryData(queryOf("getCurrentUser").queryKey)
  const [draft] = useState(() => new Draft(`draft.${user?.user_id ?? 0}.${name}`, options))
  useEffect(() => {
    onPage.add(draft)
    return () => void onPage.delete(draft)
  }, [draft])
  return draft
}

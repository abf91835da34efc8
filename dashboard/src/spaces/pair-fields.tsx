import type { ReactNode } from "react"
import { Button, IconButton } from "../ui/button.tsx"
import { jsonText, readJson } from "../ui/json-text.ts"
import { Doubles, type JsonFieldProps, JsonViews, useJsonRows } from "../ui/json-views.tsx"

interface Pair {
  name: string
  value: string
}

/** The pairs of an object whose values are all texts; null for any other value. */
function pairsOf(text: string): Pair[] | null {
  const { value = {}, error } = readJson(text)
  if (error !== undefined || typeof value !== "object" || value === null || Array.isArray(value)) return null
  const entries = Object.entries(value)
  return entries.every(([, one]) => typeof one === "string")
    ? entries.map(([name, one]) => ({ name, value: one as string }))
    : null
}

const textOfPairs = (pairs: readonly Pair[]) => {
  const named = pairs.filter(({ name }) => name !== "")
  return named.length === 0 ? "" : jsonText(Object.fromEntries(named.map(({ name, value }) => [name, value])))
}

const INPUT = "h-8 min-w-0 rounded-md border border-edge bg-bg px-2 placeholder:text-muted"

interface PairFieldsProps extends JsonFieldProps {
  hint: ReactNode
  /** What one pair is, such as "header". */
  what: string
  /** Examples of a name and a value. */
  example: readonly [name: string, value: string]
}

/** Names with texts, such as the headers of a request. */
export function PairFields({ hint, what, example, ...field }: PairFieldsProps) {
  const { rows, set } = useJsonRows(field, { read: pairsOf, write: textOfPairs })
  const change = (at: number, part: Partial<Pair>) =>
    rows && set(rows.map((row, index) => (index === at ? { ...row, ...part } : row)))
  const form = rows && (
    <div className="flex flex-col gap-2">
      {rows.map((row, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row keeps its place while it is typed
        <div key={at} className="grid grid-cols-[minmax(0,1fr)_minmax(0,2fr)_auto] gap-2">
          <input
            aria-label={`Name of ${what} ${at + 1}`}
            placeholder={example[0]}
            autoComplete="off"
            value={row.name}
            onChange={({ target }) => change(at, { name: target.value })}
            className={INPUT}
          />
          <input
            aria-label={`Value of ${what} ${at + 1}`}
            placeholder={example[1]}
            autoComplete="off"
            value={row.value}
            onChange={({ target }) => change(at, { value: target.value })}
            className={INPUT}
          />
          <IconButton
            label={`Remove ${what} ${at + 1}`}
            icon="close"
            onClick={() => set(rows.filter((_, index) => index !== at))}
          />
        </div>
      ))}
      <Doubles names={rows.map(({ name }) => name)} />
      <div>
        <Button icon="plus" onClick={() => set([...rows, { name: "", value: "" }])}>
          Add a {what}
        </Button>
      </div>
    </div>
  )
  return <JsonViews {...field} hint={hint} rows={3} form={form} />
}

import type { Rate, SetRate } from "../api/operations.ts"
import { Select, TextInput } from "./field.tsx"
import { plainNumber, typedOrNull } from "./plain.ts"

type Limit = "requests_per_minute" | "input_tokens_per_minute" | "concurrent_turns"
export type RateTexts = Record<Limit, string> & Pick<Rate, "fail">

const FIELDS: readonly (readonly [name: Limit, label: string, hint: string])[] = [
  ["requests_per_minute", "Turns per minute", "Accepted turns in any 60 seconds."],
  ["input_tokens_per_minute", "Input tokens per minute", "Estimated when a turn is sent, exact when it has ended."],
  ["concurrent_turns", "Concurrent turns", "Turns that are queued or running."],
]

const FAILS = [
  ["open", "Accept turns"],
  ["closed", "Reject turns"],
] as const

const textOf = (limit: number | null | undefined) => (typeof limit === "number" ? plainNumber(limit) : (limit ?? ""))

export const textsOfRate = (rate: Rate | null): RateTexts => ({
  requests_per_minute: textOf(rate?.requests_per_minute),
  input_tokens_per_minute: textOf(rate?.input_tokens_per_minute),
  concurrent_turns: textOf(rate?.concurrent_turns),
  fail: rate?.fail ?? "open",
})

/** Null if all limits are empty. Text that is not a number is sent unchanged, and the API rejects it. */
export function rateOfTexts({ fail, ...limits }: RateTexts): SetRate | null {
  const set = Object.entries(limits).map(([name, text]) => [name, typedOrNull(text)] as const)
  return set.every(([, limit]) => limit === null) ? null : ({ ...Object.fromEntries(set), fail } as SetRate)
}

interface RateFieldsProps {
  /** The field of the request that has the rate. */
  name: string
  title: string
  texts: RateTexts
  onChange: (texts: RateTexts) => void
  error: unknown
}

/** The limits of a rate. An empty field means no limit. */
export const RateFields = ({ name, title, texts, onChange, error }: RateFieldsProps) => (
  <fieldset className="grid gap-4 sm:grid-cols-2">
    <legend className="mb-2 font-medium">{title}</legend>
    {FIELDS.map(([limit, label, hint]) => (
      <TextInput
        key={limit}
        label={label}
        hint={hint}
        name={`${name}.${limit}`}
        error={error}
        inputMode="numeric"
        placeholder="no limit"
        autoComplete="off"
        value={texts[limit]}
        onChange={({ target }) => onChange({ ...texts, [limit]: target.value })}
      />
    ))}
    <Select
      label="If the counters cannot be read"
      name={`${name}.fail`}
      error={error}
      value={texts.fail}
      onChange={({ target }) => onChange({ ...texts, fail: target.value as Rate["fail"] })}
      options={FAILS}
    />
  </fieldset>
)

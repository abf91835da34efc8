import type { EndUser, SetRate } from "../api/operations.ts"
import { Button } from "../ui/button.tsx"
import { DismissButton } from "../ui/dialog.tsx"
import type { Draft } from "../ui/draft.ts"
import { ErrorState } from "../ui/error-state.tsx"
import { Form, TextInput } from "../ui/field.tsx"
import { plainNumber, typedOrNull } from "../ui/plain.ts"
import { RateFields, rateOfTexts, textsOfRate } from "../ui/rate-fields.tsx"

type Limits = EndUser["limits"]
type OwnLimits = Pick<Limits, "daily_usd" | "monthly_usd" | "rate">

const textOf = (usd: number | null) => (usd === null ? "" : plainNumber(usd))

interface LimitsFormProps {
  limits: OwnLimits
  onSave: (limits: Pick<Limits, "daily_usd" | "monthly_usd"> & { rate: SetRate | null }) => void
  busy: boolean
  error: unknown
  verb: string
  disabled?: boolean
  draft: Draft
  /** The form is in a dialog, which shows the state of the draft itself. */
  inDialog?: boolean
  /** Fields above the caps. */
  children?: React.ReactNode
}

/** The daily and the monthly cap of an end user, and the rate. The default applies to an empty field. */
export function EndUserLimitsForm({
  limits,
  onSave,
  busy,
  error,
  verb,
  disabled,
  draft,
  inDialog,
  children,
}: LimitsFormProps) {
  const [daily, setDaily] = draft.useField("daily", textOf(limits.daily_usd))
  const [monthly, setMonthly] = draft.useField("monthly", textOf(limits.monthly_usd))
  const [rate, setRate] = draft.useField("rate", textsOfRate(limits.rate))
  return (
    <Form
      label="Caps"
      draft={inDialog ? undefined : draft}
      onSubmit={() =>
        onSave({ daily_usd: typedOrNull(daily), monthly_usd: typedOrNull(monthly), rate: rateOfTexts(rate) })
      }
      actions={
        <>
          <Button does="putEndUserLimits" kind="primary" type="submit" busy={busy} disabled={disabled}>
            {verb}
          </Button>
          {inDialog && <DismissButton />}
        </>
      }
    >
      {children}
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        <TextInput
          label="Daily cap (USD)"
          hint="Per UTC day. Empty: the default applies."
          inputMode="decimal"
          autoComplete="off"
          name="daily_usd"
          error={error}
          value={daily}
          onChange={({ target }) => setDaily(target.value)}
        />
        <TextInput
          label="Monthly cap (USD)"
          hint="Per UTC month. Empty: the default applies."
          inputMode="decimal"
          autoComplete="off"
          name="monthly_usd"
          error={error}
          value={monthly}
          onChange={({ target }) => setMonthly(target.value)}
        />
      </div>
      <RateFields name="rate" title="Rate (empty: the default applies)" texts={rate} onChange={setRate} error={error} />
      {error ? <ErrorState error={error} /> : null}
    </Form>
  )
}

import type { AccountLimits } from "../api/operations.ts"
import { useChange, useRead } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { useDraft } from "../ui/draft.ts"
import { ErrorState } from "../ui/error-state.tsx"
import { Form, TextInput } from "../ui/field.tsx"
import { Section } from "../ui/page.tsx"
import { plainNumber, typedOrNull } from "../ui/plain.ts"
import { RateFields, rateOfTexts, textsOfRate } from "../ui/rate-fields.tsx"
import { Read } from "../ui/read.tsx"
import { toast } from "../ui/toast.tsx"

export function LimitsTab() {
  const limits = useRead("getLimits")
  return (
    <Section title="Default limits">
      <Read of={limits} rows={5}>
        {(data) => <LimitsForm key={JSON.stringify(data)} limits={data} />}
      </Read>
    </Section>
  )
}

function LimitsForm({ limits }: { limits: AccountLimits }) {
  const draft = useDraft("limits")
  const put = useChange("putLimits", { changes: ["getLimits", "getEndUser", "listEndUsers"], draft })
  const [form, setForm] = draft.useField("form", {
    end_user_daily_usd: limits.end_user_daily_usd === null ? "" : plainNumber(limits.end_user_daily_usd),
    end_user_monthly_usd: limits.end_user_monthly_usd === null ? "" : plainNumber(limits.end_user_monthly_usd),
    low_balance_usd: plainNumber(limits.low_balance_usd),
  })
  const [rate, setRate] = draft.useField("rate", textsOfRate(limits.end_user_rate))
  const bind = (name: keyof typeof form) => ({
    name,
    error: put.error,
    value: form[name],
    inputMode: "decimal" as const,
    autoComplete: "off",
    onChange: ({ target }: { target: { value: string } }) => setForm({ ...form, [name]: target.value }),
  })
  const send = () =>
    put.mutate(
      {
        body: {
          end_user_daily_usd: typedOrNull(form.end_user_daily_usd),
          end_user_monthly_usd: typedOrNull(form.end_user_monthly_usd),
          low_balance_usd: typedOrNull(form.low_balance_usd) ?? 0,
          end_user_rate: rateOfTexts(rate),
        },
      },
      { onSuccess: () => toast("The limits are saved.") },
    )
  return (
    <Form
      draft={draft}
      label="Default limits"
      onSubmit={send}
      actions={
        <Button does="putLimits" kind="primary" type="submit" busy={put.isPending}>
          Save the limits
        </Button>
      }
    >
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        <TextInput
          label="Daily cap per end user (USD)"
          hint="Per UTC day. Empty: no cap."
          {...bind("end_user_daily_usd")}
        />
        <TextInput
          label="Monthly cap per end user (USD)"
          hint="Per UTC month. Empty: no cap."
          {...bind("end_user_monthly_usd")}
        />
      </div>
      <p className="text-muted text-xs">
        These caps apply to end users without caps of their own, unless the API key of the turn sets a default.
      </p>
      <RateFields
        name="end_user_rate"
        title="Rate of each end user"
        texts={rate}
        onChange={setRate}
        error={put.error}
      />
      <TextInput
        label="Low-balance alert (USD)"
        hint="The event balance.low is sent when the balance falls below this amount. 0: never."
        {...bind("low_balance_usd")}
      />
      {put.error && <ErrorState error={put.error} />}
    </Form>
  )
}

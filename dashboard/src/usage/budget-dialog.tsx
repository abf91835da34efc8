import type { Budget } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { AnswerDialog, DismissButton } from "../ui/dialog.tsx"
import { useDraft } from "../ui/draft.ts"
import { ErrorState } from "../ui/error-state.tsx"
import { Checkbox, TextInput } from "../ui/field.tsx"
import { plainNumber, typedNumber } from "../ui/plain.ts"
import { toast } from "../ui/toast.tsx"

/** Sets the budget of the account. */
export function BudgetDialog({ budget, onClose }: { budget: Budget; onClose: () => void }) {
  const draft = useDraft("budget")
  const [amount, setAmount] = draft.useField("amount", budget.amount_usd === null ? "" : plainNumber(budget.amount_usd))
  const [percents, setPercents] = draft.useField("percents", budget.percents.join(", "))
  const [forecast, setForecast] = draft.useField("forecast", budget.forecast)
  const put = useChange("putBudget", { draft, changes: ["getBudget", "listActivity"] })
  const save = () =>
    put.mutate(
      {
        body: {
          amount_usd: typedNumber(amount),
          percents: percents
            .split(/[\s,;%]+/)
            .filter(Boolean)
            .map(typedNumber),
          forecast,
        },
      },
      {
        onSuccess: () => {
          toast("The budget is saved.")
          onClose()
        },
      },
    )
  return (
    <AnswerDialog
      open
      onClose={onClose}
      onSubmit={save}
      draft={draft}
      title={budget.amount_usd === null ? "Set a budget" : "Change the budget"}
      about="A budget only tells you, by webhook and email. It refuses no turns: caps of keys and end users do."
      actions={
        <>
          <DismissButton />
          <Button does="putBudget" kind="primary" type="submit" busy={put.isPending} disabled={amount.trim() === ""}>
            Save the budget
          </Button>
        </>
      }
    >
      <TextInput
        label="Budget per month (USD)"
        hint="For each UTC month. After a change of the amount, everything is told again."
        inputMode="decimal"
        autoComplete="off"
        name="amount_usd"
        error={put.error}
        value={amount}
        onChange={({ target }) => setAmount(target.value)}
      />
      <TextInput
        label="Tell me at (percent of the budget)"
        hint="Separated by commas. Each is told once a month."
        autoComplete="off"
        name="percents"
        error={put.error}
        value={percents}
        onChange={({ target }) => setPercents(target.value)}
      />
      <Checkbox
        label="Tell me when the forecast exceeds the budget"
        checked={forecast}
        onChange={({ target }) => setForecast(target.checked)}
      />
      {put.error && <ErrorState error={put.error} />}
    </AnswerDialog>
  )
}

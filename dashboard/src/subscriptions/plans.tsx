import { Button } from "../ui/button.tsx"
import { TextInput } from "../ui/field.tsx"
import { plainNumber } from "../ui/plain.ts"
import { Table } from "../ui/table.tsx"
import { Money } from "../ui/values.tsx"

interface PlanRow {
  row: number
  id: string
  label: string
  included: string
  cap: string
}

type Plans = Record<string, { label: string; included_credit_usd: number; daily_cap_usd: number | null }>

let rows = 0

export const planRows = (plans: unknown): PlanRow[] =>
  Object.entries(plans as Plans).map(([id, { label, included_credit_usd, daily_cap_usd }]) => ({
    row: ++rows,
    id,
    label,
    included: plainNumber(included_credit_usd ?? 0),
    cap: daily_cap_usd === null || daily_cap_usd === undefined ? "" : plainNumber(daily_cap_usd),
  }))

/** The current plans as a table. */
export function PlansTable({ plans }: { plans: unknown }) {
  return (
    <Table
      caption="Plans"
      rows={Object.entries(plans as Plans)}
      rowKey={([id]) => id}
      empty={<p className="text-muted">No plans. Add one in the settings.</p>}
      columns={[
        { title: "Plan", cell: ([, { label }]) => label },
        { title: "Id", cell: ([id]) => <code>{id}</code> },
        { title: "Monthly credit", right: true, cell: ([, plan]) => <Money usd={plan.included_credit_usd} /> },
        {
          title: "Daily cap",
          right: true,
          cell: ([, { daily_cap_usd }]) =>
            daily_cap_usd === null ? <span className="text-muted">none</span> : <Money usd={daily_cap_usd} />,
        },
      ]}
    />
  )
}

/** Converts the rows to the value of the setting `plans`. The API validates it. */
export const plansOf = (plans: readonly PlanRow[]): Plans =>
  Object.fromEntries(
    plans.map(({ id, label, included, cap }) => [
      id,
      { label, included_credit_usd: Number(included), daily_cap_usd: cap.trim() === "" ? null : Number(cap) },
    ]),
  )

const FIELDS = [
  ["id", "Id"],
  ["label", "Name"],
  ["included", "Monthly credit (USD)"],
  ["cap", "Daily cap (USD)"],
] as const

/** Edits the plans, one fieldset for each. */
export function PlansEditor({ plans, onChange }: { plans: readonly PlanRow[]; onChange: (plans: PlanRow[]) => void }) {
  return (
    <div className="flex flex-col gap-4">
      {plans.map((plan) => (
        <fieldset key={plan.row} className="rounded-md border border-line p-3">
          <legend className="px-1 text-muted">{plan.label || plan.id || "New plan"}</legend>
          <div className="grid gap-3 sm:grid-cols-2">
            {FIELDS.map(([name, label]) => (
              <TextInput
                key={name}
                label={label}
                value={plan[name]}
                inputMode={name === "included" || name === "cap" ? "decimal" : undefined}
                hint={name === "cap" ? "Leave empty for no cap" : undefined}
                onChange={({ target }) =>
                  onChange(plans.map((one) => (one.row === plan.row ? { ...one, [name]: target.value } : one)))
                }
              />
            ))}
          </div>
          <Button
            className="mt-3"
            aria-label={`Remove the plan ${plan.label || plan.id}`}
            onClick={() => onChange(plans.filter(({ row }) => row !== plan.row))}
          >
            Remove
          </Button>
        </fieldset>
      ))}
      <div>
        <Button
          icon="plus"
          onClick={() => onChange([...plans, { row: ++rows, id: "", label: "", included: "0", cap: "" }])}
        >
          Add a plan
        </Button>
      </div>
    </div>
  )
}

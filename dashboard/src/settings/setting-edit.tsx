import type { Setting } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { EditDialog } from "../operator/edit-dialog.tsx"
import { PlansEditor, planRows, plansOf } from "../subscriptions/plans.tsx"
import { Button } from "../ui/button.tsx"
import { useDraft } from "../ui/draft.ts"
import { Select, TextArea, TextInput } from "../ui/field.tsx"
import { plainJson } from "../ui/plain.ts"
import { toast } from "../ui/toast.tsx"
import { MoneyOfMicros } from "../ui/values.tsx"

interface Props {
  of: Setting
  all: readonly Setting[]
  onClose: () => void
}

const isNumber = ({ schema: { type } }: Setting) => type === "integer" || type === "number"
const isJson = ({ value, default: usual }: Setting) => typeof (value ?? usual) === "object"
const textOf = (of: Setting, value: unknown) => (typeof value === "string" && !isJson(of) ? value : plainJson(value))

function boundsOf({ schema: { minimum, maximum, type } }: Setting): string | undefined {
  if (typeof minimum !== "number" || typeof maximum !== "number") return undefined
  const range = `${minimum.toLocaleString()} to ${maximum.toLocaleString()}`
  return type === "integer" ? `A whole number, ${range}` : range
}

/** Parses the text as a value of the setting, or returns what is wrong with it. */
function readValue(of: Setting, text: string): { value: unknown } | { fault: string } {
  if (isNumber(of)) {
    const value = Number(text)
    return text.trim() === "" || Number.isNaN(value) ? { fault: "Enter a number." } : { value }
  }
  if (!isJson(of)) return { value: text }
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return { fault: "Enter valid JSON." }
  }
}

/** Edits a setting with a control that fits its type. */
export function EditSetting({ of, all, onClose }: Props) {
  const draft = useDraft(`setting.${of.key}`, { version: of.version })
  const change = useChange("updateSetting", { draft })
  const isPlans = of.key === "plans"
  const [text, setText] = draft.useField("text", textOf(of, of.value))
  const [plans, setPlans] = draft.useField("plans", isPlans ? planRows(of.value) : [])
  const read = isPlans ? { value: plansOf(plans) } : readValue(of, text)
  const value = "value" in read ? read.value : undefined
  const save = (ifMatch?: number) =>
    change.mutate(
      { body: { key: of.key, value }, ifMatch },
      {
        onSuccess: () => {
          toast(`${of.key} was saved. The change takes effect with the next request.`)
          onClose()
        },
      },
    )
  const toDefault = () => (isPlans ? setPlans(planRows(of.default)) : setText(textOf(of, of.default)))
  const control = {
    label: "Value",
    name: "value",
    value: text,
    error: "fault" in read ? read.fault : change.error,
    onChange: ({ target }: { target: { value: string } }) => setText(target.value),
  }
  return (
    <EditDialog
      draft={draft}
      title={`Change ${of.key}`}
      about={of.description}
      verb="Save"
      change={change}
      save={save}
      mine={{ value }}
      version={of.version}
      onClose={onClose}
      disabled={"fault" in read || JSON.stringify(value) === JSON.stringify(of.value)}
    >
      {isPlans ? (
        <PlansEditor plans={plans} onChange={setPlans} />
      ) : of.key === "trial_plan" ? (
        <Select {...control} options={planIds(all, text)} />
      ) : isNumber(of) ? (
        <TextInput
          {...control}
          inputMode="decimal"
          hint={
            of.key.endsWith("_micros") && typeof value === "number" ? (
              <>
                {boundsOf(of)}. Equals <MoneyOfMicros micros={value} />.
              </>
            ) : (
              boundsOf(of)
            )
          }
        />
      ) : isJson(of) ? (
        <TextArea {...control} mono rows={16} spellCheck={false} hint="JSON" />
      ) : (
        <TextInput {...control} />
      )}
      <div>
        <Button onClick={toDefault}>Reset to default</Button>
      </div>
    </EditDialog>
  )
}

/** The ids of all plans, and the current value even if its plan was removed. */
function planIds(all: readonly Setting[], current: string): string[] {
  const plans = all.find(({ key }) => key === "plans")?.value ?? {}
  return [...new Set([current, ...Object.keys(plans)])]
}

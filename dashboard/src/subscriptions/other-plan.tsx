import { ApiError } from "../api/api-error.ts"
import type { Subscription } from "../api/operations.ts"
import { Select } from "../ui/field.tsx"

/** The fate of the other active subscription: not decided, it ends, or the user has both. */
export type OtherPlan = "" | "replace" | "both"

/** The active subscription that refused a new one. */
const otherIn = (error: unknown): Subscription | undefined =>
  error instanceof ApiError && error.code === "SUBSCRIPTION_ACTIVE"
    ? (error.details as { subscription: Subscription }).subscription
    : undefined

/** Converts the choice to fields of the request body. */
export const otherPlanBody = (choice: OtherPlan, error: unknown) => ({
  ...(choice === "replace" && { replaces: otherIn(error)?.sub_id ?? null }),
  ...(choice === "both" && { alongside: true }),
})

interface Props {
  error: unknown
  value: OtherPlan
  onChange: (value: OtherPlan) => void
  /** An edit of a subscription cannot end another one. */
  isEdit?: boolean
}

/** Asks what happens to the other active subscription. It is shown after the API has refused to decide. */
export function OtherPlanField({ error, value, onChange, isEdit = false }: Props) {
  const other = otherIn(error)
  if (!other) return null
  return (
    <Select
      label={`The active plan ${other.plan} (subscription ${other.sub_id})`}
      value={value}
      options={[
        ["", "Choose what happens to it"],
        ...(isEdit ? [] : [["replace", "It ends when this one starts"] as const]),
        ["both", "The user has both, and gets the credit of both"],
      ]}
      onChange={({ target }) => onChange(target.value as OtherPlan)}
    />
  )
}

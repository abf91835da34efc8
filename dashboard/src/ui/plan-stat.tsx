import { useRead } from "../api/query.ts"
import { Stat } from "./facts.tsx"
import { Money, Time } from "./values.tsx"

/** The account's plan with what is left of its daily cap. Nothing without a plan and a cap. */
export function PlanStat() {
  const { data } = useRead("getPlan")
  if (!data || (!data.plan && !data.daily_cap)) return null
  const { plan, daily_cap: cap } = data
  return (
    <Stat
      label="Plan"
      hint={
        cap ? (
          <>
            <Money usd={cap.spent_usd + cap.reserved_usd} /> of <Money usd={cap.limit_usd} /> used today; resets{" "}
            <Time at={cap.resets_at} />
          </>
        ) : (
          "no daily cap"
        )
      }
    >
      {plan ? plan.label : "None"}
      {plan?.trial && <span className="text-muted text-sm"> trial</span>}
      {plan?.ends_at && (
        <span className="text-muted text-sm">
          {" "}
          ends <Time at={plan.ends_at} />
        </span>
      )}
    </Stat>
  )
}

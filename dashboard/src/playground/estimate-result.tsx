import { wordsOf } from "../api/code-words.ts"
import type { TurnEstimate } from "../api/operations.ts"
import { Icon } from "../ui/icon.tsx"
import { Money, Time } from "../ui/values.tsx"

/** Shows whether a turn would be accepted, and how much it would hold. */
export function EstimateResult({ estimate }: { estimate: TurnEstimate }) {
  const { admitted, hold_usd, needed_usd, refused_by, model, balance, caps } = estimate
  return (
    <div
      role="status"
      className={`flex flex-col gap-1 rounded-md p-3 ${admitted ? "bg-ok-soft text-ok" : "bg-bad-soft text-bad"}`}
    >
      <p className="flex items-center gap-2 font-strong">
        <Icon name={admitted ? "check" : "error"} />
        {admitted ? "The turn would be accepted" : "The turn would be rejected"}
      </p>
      {refused_by && (
        <p className="break-words">
          {refused_by.message} <code>{refused_by.code}</code>
        </p>
      )}
      <p className="text-text">
        {model} would hold <Money usd={hold_usd} /> and needs at least <Money usd={needed_usd} />.{" "}
        {balance && (
          <>
            <Money usd={balance.available_usd} /> of the balance is available.
          </>
        )}
      </p>
      {caps.map(({ cap, left_usd, limit_usd, resets_at }) => (
        <p key={cap} className="text-text text-xs">
          {wordsOf(cap)}: <Money usd={left_usd} /> of <Money usd={limit_usd} /> left
          {resets_at && (
            <>
              , resets <Time at={resets_at} />
            </>
          )}
        </p>
      ))}
    </div>
  )
}

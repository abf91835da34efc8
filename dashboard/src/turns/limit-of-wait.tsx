import { Suspense, useState } from "react"
import type { WaitingTurn } from "../api/operations.ts"
import { Button } from "../ui/button.tsx"
import { KeyValues } from "../ui/facts.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { TextLink } from "../ui/link.tsx"
import { Money, Time } from "../ui/values.tsx"
import type { WaitProps } from "./call-decision.tsx"
import { limitName } from "./wait-words.ts"

const RaiseDialog = lazyPart(() => import("./raise-dialog.tsx").then((module) => ({ default: module.RaiseDialog })))

type Limit = NonNullable<WaitingTurn["waiting"]["limit"]>

/** The limit that a turn waits for, and how it can continue. */
export function LimitOfWait({ of, limit, test }: WaitProps & { limit: Limit }) {
  const isOwn = limit.kind === "max_cost"
  const isWallet = limit.kind === "balance" || limit.kind === "end_user_credit"
  return (
    <>
      <KeyValues
        entries={[
          [
            "Limit",
            limit.limit_usd === null ? (
              limitName(limit.kind)
            ) : (
              <>
                {limitName(limit.kind)} of <Money usd={limit.limit_usd} />
              </>
            ),
          ],
          [isWallet ? "Must be available there" : "Must be left", <Money key="needed" usd={limit.needed_usd} />],
          ["Continues at", limit.continue_at_usd === null ? undefined : <Money key="at" usd={limit.continue_at_usd} />],
          ["Resets", limit.resets_at ? <Time key="resets" at={limit.resets_at} /> : "does not reset by itself"],
        ]}
      />
      {isOwn && of.role === "owner" ? (
        <RaiseLimit of={of} test={test} />
      ) : (
        <p className="text-muted [&_a]:decoration-current">
          {isOwn ? (
            "Only the owner of the space raises the limit of the turn."
          ) : limit.kind === "balance" ? (
            <>
              The turn continues when credit is booked. <TextLink to="/balance">Balance</TextLink>
            </>
          ) : limit.kind === "end_user_credit" ? (
            <>
              The turn continues when that much credit of this customer is available. The amount is what the customer is
              charged. <PlaceOfLimit of={of} kind={limit.kind} />
            </>
          ) : (
            <>
              The turn continues when the cap resets or is raised. <PlaceOfLimit of={of} kind={limit.kind} />
            </>
          )}
        </p>
      )}
    </>
  )
}

/** A link to the page on which the owner raises a limit. */
function PlaceOfLimit({ of, kind }: { of: WaitingTurn; kind: string }) {
  if (of.role !== "owner") return null
  if (kind.startsWith("end_user_")) {
    return (
      <TextLink to="/end-users/$endUserRef" params={{ endUserRef: of.end_user_ref }}>
        Limits of {of.end_user_ref}
      </TextLink>
    )
  }
  if (kind.startsWith("key_")) {
    return of.key_id ? (
      <TextLink to="/keys/$keyId" params={{ keyId: of.key_id }}>
        Caps of the key
      </TextLink>
    ) : (
      <TextLink to="/keys">API keys</TextLink>
    )
  }
  if (kind === "members_daily") {
    return (
      <TextLink to="/spaces/$spaceId" params={{ spaceId: of.space }} search={{ tab: "sharing" }}>
        Limit of the members
      </TextLink>
    )
  }
  return <TextLink to="/balance">Plan and balance</TextLink>
}

function RaiseLimit({ of, test }: WaitProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <div>
      <Button does="patchTurn" kind="primary" onClick={() => setOpen(true)}>
        Raise the limit
      </Button>
      <Suspense>{isOpen && <RaiseDialog turn={of} test={test} onClose={() => setOpen(false)} />}</Suspense>
    </div>
  )
}

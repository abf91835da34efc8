import { useSearch } from "@tanstack/react-router"
import type { ReactNode } from "react"
import type { CapReached, CapState, FeedEvent } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { startOfDay } from "../ui/days.ts"
import { Icon } from "../ui/icon.tsx"
import { TextLink } from "../ui/link.tsx"
import { Section } from "../ui/page.tsx"
import { Money, Time } from "../ui/values.tsx"

/** The longest period of a cap is a month. */
const DAYS = 31
const SHOWN = 5
const EVENTS = 20

/** What is wrong now. Past warnings that no longer apply are in the account's list of alerts only. */
export function Alerts() {
  const { test } = useSearch({ from: "/app" })
  const tested = test && ("true" as const)
  const caps = useRead("listEvents", {
    query: { type: "cap.reached", test: tested, created_after: startOfDay(DAYS), limit: EVENTS, order: "desc" },
  })
  const webhooks = useRead("listWebhooks", { query: { test: tested, limit: 100 } })
  const disabled = (webhooks.data?.items ?? []).filter(
    ({ enabled, disabled_reason }) => !enabled && (disabled_reason === "failing" || disabled_reason === "gone"),
  )
  return (
    // Each alert decides whether it applies, so the heading is hidden if none does.
    <div className="has-[ul:empty]:hidden">
      <Section title="Alerts">
        <ul className="flex flex-col gap-2 [&_a]:text-warn [&_a]:decoration-current">
          {!test && <BalanceAlert />}
          {newestOfCaps(caps.data?.data ?? []).map((cap) => (
            <CapAlert key={keyOf(cap)} of={cap} test={test} />
          ))}
          {disabled.slice(0, SHOWN).map(({ webhook_id, url, disabled_reason, disabled_at }) => (
            <Alert key={webhook_id} at={disabled_at}>
              The webhook {url} is disabled: {disabled_reason === "gone" ? "it answered 410" : "every attempt failed"}.{" "}
              <TextLink to="/webhooks/$webhookId" params={{ webhookId: webhook_id }}>
                View deliveries
              </TextLink>
            </Alert>
          ))}
        </ul>
      </Section>
    </div>
  )
}

function Alert({ at, children }: { at?: string | null; children: ReactNode }) {
  return (
    <li className="flex items-start gap-2 rounded-md bg-warn-soft px-3 py-2 text-warn">
      <span className="flex h-5 items-center">
        <Icon name="warning" />
      </span>
      <div className="flex min-w-0 grow flex-wrap justify-between gap-x-3">
        <span className="min-w-0 break-words">{children}</span>
        {at && <Time at={at} />}
      </div>
    </li>
  )
}

/** The balance as it is now. */
function BalanceAlert() {
  const balance = useRead("getBalance")
  const limits = useRead("getLimits")
  if (!balance.data || !limits.data) return null
  const { available_usd } = balance.data
  const { low_balance_usd } = limits.data
  if (available_usd > 0 && available_usd >= low_balance_usd) return null
  return (
    <Alert>
      {available_usd > 0 ? (
        <>
          The balance is low: <Money usd={available_usd} /> available, below <Money usd={low_balance_usd} />.
        </>
      ) : (
        "The balance is spent: new turns are rejected."
      )}{" "}
      <TextLink to="/balance">Balance</TextLink>
    </Alert>
  )
}

const keyOf = ({ cap, key_id, end_user_ref, space }: CapReached) => [cap, key_id, end_user_ref, space].join()

/** The newest event of each cap whose period is not over. */
function newestOfCaps(events: readonly FeedEvent[]): CapReached[] {
  const now = new Date().toISOString()
  const current = events.map(({ data }) => data as CapReached).filter(({ resets_at }) => resets_at > now)
  // Newest first, so the first event of a cap is its newest.
  return [...Map.groupBy(current, keyOf).values()].flatMap(([newest]) => newest ?? []).slice(0, SHOWN)
}

/** A cap with the amount that is spent now. The cap may have been raised since the event. */
function CapAlert({ of, test }: { of: CapReached; test: true | undefined }) {
  const tested = test && ("true" as const)
  const { end_user_ref, key_id } = of
  if (end_user_ref) return <EndUserCap of={of} input={{ path: { end_user_ref }, query: { test: tested } }} />
  return key_id ? <KeyCap of={of} keyId={key_id} /> : <CapWords of={of} state={of} />
}

function EndUserCap({ of, input }: { of: CapReached; input: { path: { end_user_ref: string }; query: object } }) {
  const endUser = useRead("getEndUser", input)
  return endUser.data ? <CapWords of={of} state={stateIn(endUser.data.caps, of)} /> : null
}

function KeyCap({ of, keyId }: { of: CapReached; keyId: string }) {
  const key = useRead("getKey", { path: { key_id: keyId } })
  return key.data ? <CapWords of={of} state={stateIn(key.data.cap_states, of)} /> : null
}

const stateIn = (states: readonly CapState[], { cap }: CapReached) => states.find((state) => state.cap === cap)

interface CapWordsProps {
  of: CapReached
  /** The cap as it is now; undefined: it was removed. */
  state: Pick<CapState, "limit_usd" | "spent_usd" | "reserved_usd"> | undefined
}

function CapWords({ of: { cap, percent, end_user_ref, key_id, resets_at }, state }: CapWordsProps) {
  if (!state) return null
  const used = state.spent_usd + state.reserved_usd
  // 100 percent is also reported if the rest is too small for a turn.
  if (used < (state.limit_usd * Math.min(percent, 80)) / 100) return null
  return (
    <Alert>
      <Money usd={state.spent_usd} /> of the {cap.replaceAll("_", " ")} cap of <Money usd={state.limit_usd} /> is spent
      {end_user_ref && (
        <>
          {" by "}
          <TextLink to="/end-users/$endUserRef" params={{ endUserRef: end_user_ref }}>
            {end_user_ref}
          </TextLink>
        </>
      )}
      {key_id && (
        <>
          {", set on "}
          <TextLink to="/keys/$keyId" params={{ keyId: key_id }}>
            the API key
          </TextLink>
        </>
      )}
      . It resets <Time at={resets_at} />.
    </Alert>
  )
}

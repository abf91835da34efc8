import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import type { Attention, AttentionItem } from "../api/operations.ts"
import { queryOf } from "../api/query.ts"
import { AddCredit } from "../turns/credit-notice.tsx"
import { limitName } from "../turns/wait-words.ts"
import { AnomalyActs } from "../ui/anomaly-acts.tsx"
import { onDayWithin } from "../ui/days.ts"
import { exactUtc } from "../ui/exact-time.ts"
import { Icon } from "../ui/icon.tsx"
import { TextLink } from "../ui/link.tsx"
import { Section } from "../ui/page.tsx"
import { Money, Time } from "../ui/values.tsx"

const LIVE_MS = 10_000

/** The query for what needs the owner. */
export const attentionOf = (test: true | undefined) => queryOf("getAttention", { query: { test: test && "true" } })

interface NeedsYouProps {
  test: true | undefined
  topUpUrl: string | null
  /** True for a new account: its first steps say how to get credit, and nothing could go wrong yet. */
  isNew: boolean
}

/** The verdict about the account: one line if all is fine, otherwise a list of what needs its owner, with links. */
export function NeedsYou({ test, topUpUrl, isNew }: NeedsYouProps) {
  const { data } = useQuery({ ...attentionOf(test), refetchInterval: LIVE_MS })
  const items = data?.items.filter(({ kind }) => !(isNew && kind === "no_credit")) ?? []
  if (!data || (isNew && items.length === 0)) return null
  if (items.length === 0) return <AllFine since={data.fine_since} />
  return (
    <Section title="Needs you">
      <ul className="flex flex-col rounded-md border border-line">
        {items.map((item) => (
          <li
            key={`${item.kind} ${item.id} ${item.title}`}
            className="flex flex-wrap items-start gap-x-3 gap-y-1 border-line border-b px-3 py-2 last:border-b-0"
          >
            <span className={`flex h-5 items-center ${URGENT.has(item.kind) ? "text-bad" : "text-warn"}`}>
              <Icon name={URGENT.has(item.kind) ? "error" : "warning"} />
            </span>
            <span className="min-w-0 flex-1 basis-60 break-words">{SENTENCES[item.kind](item)}</span>
            <span className="flex flex-wrap items-center gap-x-3">
              {item.since && (
                <span className="text-muted text-xs">
                  <Time at={item.since} />
                </span>
              )}
              <Act item={item} topUpUrl={topUpUrl} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  )
}

/** Turns fail or are refused, or events are lost, until the owner acts. */
const URGENT = new Set<AttentionItem["kind"]>([
  "no_credit",
  "turns_fail",
  "cap_reached",
  "webhook_disabled",
  "webhook_fails",
])

/** By the kind of anomaly. */
const SPENDERS: Record<string, string> = { space: "The space", key: "The API key", end_user: "The end user" }

const SENTENCES: Record<AttentionItem["kind"], (item: AttentionItem) => ReactNode> = {
  no_credit: () => "There is no available credit, so live turns are refused with 402.",
  turns_fail: ({ count, of }) => `${count} of ${of} turns that ended in the last hour have failed.`,
  cap_reached: (item) => <CapWords item={item} verb="is used up" />,
  cap_near: (item) => <CapWords item={item} verb="is almost used up" />,
  turns_wait: ({ count }) => (count === 1 ? "1 turn waits." : `${count?.toLocaleString()} turns wait.`),
  webhook_disabled: ({ title, text }) =>
    `The webhook ${title} was disabled: ${text === "gone" ? "it answered 410" : "every attempt failed"}.`,
  webhook_fails: ({ title }) => `The webhook ${title} does not accept its events.`,
  server_fails: ({ title, text }) => `The MCP server ${title} does not answer, so turns run without it. ${text}`,
  balance_low: ({ used_usd, limit_usd }) => (
    <>
      The balance is low: <Money usd={used_usd} /> available, below <Money usd={limit_usd} />.
    </>
  ),
  budget_passed: ({ used_usd, limit_usd }) => (
    <>
      The budget of this month is spent: <Money usd={used_usd} /> of <Money usd={limit_usd} />. No turn is refused.
    </>
  ),
  spend_unusual: ({ title, text, since, until, used_usd, limit_usd }) => (
    <>
      {`${SPENDERS[text ?? ""] ?? "The end user"} ${title} was billed `}
      <Money usd={used_usd} /> {since && until && onDayWithin(since, until)} (UTC), usually <Money usd={limit_usd} />.
    </>
  ),
  sign_in_locked: ({ text }) =>
    `Signing in with the password was locked after too many wrong ones${text ? ` from ${text}` : ""}.`,
  key_expires: ({ title, until }) => (
    <>
      The API key {title} expires <Time at={until} />.
    </>
  ),
  refund_declined: ({ text }) => `The refund of a turn was declined: ${text}`,
}

const CapWords = ({ item: { title, id, used_usd, limit_usd, until }, verb }: { item: AttentionItem; verb: string }) => (
  <>
    {`${title?.startsWith("end_user") ? `The cap of ${id}` : "A cap"} ${verb}: `}
    <Money usd={used_usd} /> of <Money usd={limit_usd} /> of {limitName(title ?? "")}. It resets <Time at={until} />.
  </>
)

/** The page on which the owner acts. */
function Act({
  item: { kind, id, title, subject, text, since, until },
  topUpUrl,
}: {
  item: AttentionItem
  topUpUrl: string | null
}) {
  const of = id ?? ""
  switch (kind) {
    case "no_credit":
      return <AddCredit url={topUpUrl} />
    case "balance_low":
      return topUpUrl ? <AddCredit url={topUpUrl} /> : <TextLink to="/balance">Balance</TextLink>
    case "turns_fail":
      return (
        <TextLink to="/turns" search={{ state: "failed", created_after: since ?? undefined }}>
          View failed turns
        </TextLink>
      )
    case "cap_reached":
    case "cap_near":
      return <RaiseCap cap={title ?? ""} of={of} />
    case "budget_passed":
      return <TextLink to="/balance">View or change it</TextLink>
    case "spend_unusual":
      return (
        <AnomalyActs
          anomaly_id={of}
          end_user_ref={text === "end_user" ? subject : null}
          key_id={text === "key" ? subject : null}
          space={text === "space" ? subject : null}
          from={since ?? ""}
          to={until ?? ""}
        />
      )
    case "turns_wait":
      return <TextLink to="/turns/waiting">Decide</TextLink>
    case "webhook_disabled":
    case "webhook_fails":
      return (
        <TextLink to="/webhooks/$webhookId" params={{ webhookId: of }}>
          {kind === "webhook_fails" ? "Test it" : "Open it"}
        </TextLink>
      )
    case "server_fails":
      return (
        <TextLink to="/spaces/$spaceId" params={{ spaceId: of }} search={{ tab: "mcp" }}>
          Check the server
        </TextLink>
      )
    case "sign_in_locked":
      return (
        <TextLink to="/account" search={{ tab: "sessions" }}>
          View sessions
        </TextLink>
      )
    case "key_expires":
      return (
        <TextLink to="/keys/$keyId" params={{ keyId: of }}>
          Extend or rotate
        </TextLink>
      )
    case "refund_declined":
      return (
        <TextLink to="/turns/$turnId" params={{ turnId: of }}>
          View the turn
        </TextLink>
      )
  }
}

function RaiseCap({ cap, of }: { cap: string; of: string }) {
  if (cap.startsWith("end_user_")) {
    return (
      <TextLink to="/end-users/$endUserRef" params={{ endUserRef: of }}>
        Raise
      </TextLink>
    )
  }
  if (cap.startsWith("key_")) {
    return (
      <TextLink to="/keys/$keyId" params={{ keyId: of }}>
        Raise
      </TextLink>
    )
  }
  if (cap === "members_daily") {
    return (
      <TextLink to="/spaces/$spaceId" params={{ spaceId: of }} search={{ tab: "sharing" }}>
        Raise
      </TextLink>
    )
  }
  return <TextLink to="/balance">Plan and balance</TextLink>
}

const SOURCES: Record<NonNullable<Attention["fine_since"]>["source"], string> = {
  turn_failed: "when the last failed turn ended",
  cap_reached: "when a cap was last in the way",
  account_created: "when the account was created",
}

/** `08:12 UTC` of today, or the day and the time. */
function momentOf(at: string): string {
  const exact = exactUtc(at)
  const isToday = exact.slice(0, 10) === exactUtc(new Date().toISOString()).slice(0, 10)
  return `${isToday ? "" : `${exact.slice(0, 10)}, `}${exact.slice(11, 16)} UTC`
}

const AllFine = ({ since }: { since: Attention["fine_since"] }) => (
  <p role="status" className="flex flex-wrap items-center gap-x-2">
    <span className="text-ok">
      <Icon name="check" />
    </span>
    {since ? `All fine since ${momentOf(since.at)}` : "All fine"}
    {since && <span className="text-muted">{SOURCES[since.source]}</span>}
  </p>
)

import { useQuery } from "@tanstack/react-query"
import { queryOf } from "../api/query.ts"
import { TextLink } from "../ui/link.tsx"
import { Section } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { Id, Time } from "../ui/values.tsx"
import { CallOfWait, type WaitProps } from "./call-decision.tsx"
import { LimitOfWait } from "./limit-of-wait.tsx"
import { ScrolledText } from "./scrolled-text.tsx"
import { EndUserOfTurn, SpaceOfTurn, WaitState } from "./turn-table.tsx"

/** The poll interval in milliseconds. Another person may decide. */
const LIVE_MS = 5000

/** One waiting turn of a list: which turn it is, and what it waits for. */
export function WaitCard({ of, test }: WaitProps) {
  const { turn_id, space, space_title, end_user_ref, readable } = of
  return (
    <article
      aria-label={`Turn ${turn_id}`}
      className="flex min-w-0 flex-col gap-3 rounded-md border border-line p-3 sm:p-4"
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <WaitState of={of.waiting} />
        <Id id={turn_id} {...(readable && { href: `/turns/${turn_id}` })} />
        <SpaceOfTurn id={space} title={space_title} />
        <EndUserOfTurn endUserRef={end_user_ref} />
      </div>
      {of.text && <ScrolledText label="Text of the request">{of.text}</ScrolledText>}
      <WaitParts of={of} test={test} />
    </article>
  )
}

function WaitParts({ of, test }: WaitProps) {
  const { since, expires_at, limit, calls } = of.waiting
  return (
    <>
      <p className="text-muted">
        Since <Time at={since} />, expires <Time at={expires_at} />
      </p>
      {limit && <LimitOfWait of={of} limit={limit} test={test} />}
      {calls.map((call) => (
        <CallOfWait key={call.call} of={of} call={call} test={test} />
      ))}
    </>
  )
}

/** The wait of one turn, on its own page and in the playground. */
export function WaitOfTurn({ turnId, test }: { turnId: string; test: true | undefined }) {
  const waits = useQuery({
    ...queryOf("listWaitingTurns", { query: { turn: turnId, test: test && "true", limit: 1 } }),
    refetchInterval: LIVE_MS,
  })
  return (
    <Read of={waits} rows={3}>
      {({ items: [wait] }) =>
        wait && (
          <Section title="Waiting" action={<TextLink to="/turns/waiting">All waiting turns</TextLink>}>
            <div className="flex min-w-0 flex-col gap-3 rounded-md border border-line p-3">
              <WaitParts of={wait} test={test} />
            </div>
          </Section>
        )
      }
    </Read>
  )
}

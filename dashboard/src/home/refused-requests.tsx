import type { AccountSetup } from "../api/operations.ts"
import { AddCredit } from "../turns/credit-notice.tsx"
import { TextLink } from "../ui/link.tsx"
import { Id, Time } from "../ui/values.tsx"

/** Requests of the account's keys that were refused, each with what to do about it. */
export function RefusedRequests({ setup: { refused, key_turn, top_up_url } }: { setup: AccountSetup }) {
  // A fault that was mended disappears: only refusals after the newest accepted turn are shown.
  const requests = refused.filter(({ refused_at }) => key_turn === null || refused_at > key_turn.created_at)
  if (requests.length === 0) return null
  return (
    <section aria-label="Refused requests" className="flex flex-col gap-2">
      <ul className="flex flex-col gap-2">
        {requests.map((one) => (
          <li key={one.code} className="flex flex-col gap-1 rounded-md bg-bad-soft px-3 py-2">
            <p className="break-words text-bad">
              <b>
                {one.status} {one.code}
              </b>{" "}
              {one.operation}
              {one.param && (
                <>
                  , <code>{one.param}</code>
                </>
              )}
            </p>
            <p className="break-words">
              {plain(one.cause)} <b>{plain(one.cure)}</b>{" "}
              {one.code === "INSUFFICIENT_CREDITS" && <AddCredit url={top_up_url} />}
              {one.code === "NOT_FOUND" && "A key reaches only spaces that its scope names and that you own."}
            </p>
            <p className="flex flex-wrap items-center gap-x-3 text-muted text-xs">
              <Time at={one.refused_at} />
              <span>
                Key{" "}
                <TextLink to="/keys/$keyId" params={{ keyId: one.key_id }}>
                  {one.key_name ?? one.key_id}
                </TextLink>
              </span>
              <Id id={one.request_id} />
            </p>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** The texts of the reference mark code with back-ticks. */
const plain = (text: string) => text.replaceAll("`", "")

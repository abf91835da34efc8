import { useQuery } from "@tanstack/react-query"
import { useSearch } from "@tanstack/react-router"
import { queryOf } from "../api/query.ts"
import { TextLink } from "../ui/link.tsx"
import { Notice } from "../ui/notice.tsx"

const QUIET_MS = 10_000

/** Tells how many turns wait. Without one, it shows nothing. */
export function WaitingNotice() {
  const { test } = useSearch({ from: "/app" })
  const waits = useQuery({
    ...queryOf("listWaitingTurns", { query: { test: test && "true", limit: 1 } }),
    refetchInterval: QUIET_MS,
  })
  const total = waits.data?.total ?? 0
  if (total === 0) return null
  return (
    <Notice>
      <span>{total === 1 ? "1 turn waits." : `${total.toLocaleString("en-US")} turns wait.`}</span>
      <TextLink to="/turns/waiting" className="text-warn underline">
        Waiting turns
      </TextLink>
    </Notice>
  )
}

import { useQuery } from "@tanstack/react-query"
import type { Erasure } from "../api/operations.ts"
import { queryOf } from "../api/query.ts"
import { KeyValues } from "../ui/facts.tsx"
import { Section } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { Status } from "../ui/status.tsx"
import { Count, Id, Money, Time } from "../ui/values.tsx"

/** The erased and the kept data. Polls while the erasure is in progress. */
export function EndUserReceipt({ erasureId, test }: { erasureId: string; test: true | undefined }) {
  const erasure = useQuery({
    ...queryOf("getErasure", { path: { erasure_id: erasureId }, query: { test: test && "true" } }),
    refetchInterval: ({ state }) => (state.data?.state === "erasing" ? 2000 : false),
  })
  return (
    <Section title="Erasure receipt">
      <div aria-live="polite">
        <Read of={erasure} rows={4}>
          {(data) => <ErasureFacts of={data} />}
        </Read>
      </div>
    </Section>
  )
}

const ErasureFacts = ({ of: erasure }: { of: Erasure }) => (
  <KeyValues
    entries={[
      ["State", <Status key="state" word={erasure.state} tone={erasure.state === "erased" ? "ok" : "info"} />],
      ["Receipt", <Id key="id" id={erasure.erasure_id} />],
      ["Requested", <Time key="asked" at={erasure.requested_at} exact />],
      ["Completed", erasure.erased_at ? <Time key="done" at={erasure.erased_at} exact /> : "in progress"],
      [
        "Erased",
        <span key="erased">
          <Count value={erasure.turns} /> turns, <Count value={erasure.steps} /> steps, <Count value={erasure.events} />{" "}
          events, <Count value={erasure.files} /> files, <Count value={erasure.conversations} /> conversations,{" "}
          <Count value={erasure.tasks} /> tasks
        </span>,
      ],
      [
        "Kept",
        <span key="kept">
          the amounts of <Count value={erasure.kept.turns} /> turns: <Money usd={erasure.kept.billed_usd} />
        </span>,
      ],
    ]}
  />
)

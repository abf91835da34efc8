import { Suspense, useState } from "react"
import type { Turn } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { ButtonLink } from "../ui/link.tsx"
import { RefundState } from "./refund-state.tsx"
import { TurnActs } from "./turn-acts.tsx"
import { isOpenTurn } from "./turn-words.ts"

const CancelDialog = lazyPart(() =>
  import("./cancel-dialog.tsx").then((module) => ({ default: module.CancelTurnDialog })),
)
const RaiseDialog = lazyPart(() => import("./raise-dialog.tsx").then((module) => ({ default: module.RaiseDialog })))
const RefundDialog = lazyPart(() =>
  import("./refund-dialog.tsx").then((module) => ({ default: module.AskForRefundDialog })),
)

interface ActionsProps {
  turn: Turn
  test: true | undefined
}

/** What the owner can do about a turn. */
export const TurnActions = ({ turn, test }: ActionsProps) =>
  isOpenTurn(turn.state) ? <OpenActions turn={turn} test={test} /> : <EndedActions turn={turn} test={test} />

function OpenActions({ turn, test }: ActionsProps) {
  const [open, setOpen] = useState<"cancel" | "raise" | null>(null)
  const close = () => setOpen(null)
  return (
    <TurnActs>
      {turn.max_cost_usd !== null && (
        <Button does="patchTurn" onClick={() => setOpen("raise")}>
          Raise max cost
        </Button>
      )}
      <Button does="cancelTurn" kind="danger" onClick={() => setOpen("cancel")}>
        Cancel turn
      </Button>
      <Suspense>
        {open === "cancel" && <CancelDialog turnId={turn.turn_id} onClose={close} />}
        {open === "raise" && <RaiseDialog turn={turn} test={test} onClose={close} />}
      </Suspense>
    </TurnActs>
  )
}

function EndedActions({ turn, test }: ActionsProps) {
  const [asking, setAsking] = useState(false)
  const requests = useRead("listRefundRequests", { query: { turn: turn.turn_id, limit: 1 } })
  const [request] = requests.data?.items ?? []
  const canAsk = requests.data && !request && !test && !turn.test && turn.billed_cost_usd > 0
  return (
    <TurnActs>
      <ButtonLink does="createChatTurn" to="/playground" search={repeatOf(turn)}>
        Open in playground
      </ButtonLink>
      {canAsk && (
        <Button does="requestRefund" onClick={() => setAsking(true)}>
          Ask for a refund
        </Button>
      )}
      {request && <RefundState of={request} />}
      <Suspense>{asking && <RefundDialog turn={turn} onClose={() => setAsking(false)} />}</Suspense>
    </TurnActs>
  )
}

/** The search of the playground that repeats a turn: its text, files and model, and a web chat in its conversation. */
const repeatOf = ({ turn_id, space, model, files, end_user_ref, conversation }: Turn) => ({
  space,
  model,
  from: turn_id,
  files: files.length > 0 ? files.join(",") : undefined,
  ...(end_user_ref === "" && { conversation }),
})

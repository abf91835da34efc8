import { ApiError } from "../api/api-error.ts"
import type { OperationId } from "../api/call.ts"
import type { TurnTrace, Waiting } from "../api/operations.ts"
import { choicesOf, type QueryWord } from "../api/words.ts"
import { exactUtc } from "../ui/exact-time.ts"

/** The reasons for which turns wait, as filters name them. */
export const WAIT_CHOICES = choicesOf<Waiting["for"]>({ approval: "an approval", result: "a result", limit: "a limit" })

const WAIT_NAMES = new Map<string, string>(WAIT_CHOICES)

/** Says for what a turn waits, such as "waiting for an approval". */
export const waitWords = (reason: Waiting["for"]) => `waiting for ${WAIT_NAMES.get(reason)}`

/** The same as values of the explorer's filter. */
export const WAITING_FILTER = choicesOf<QueryWord<"exploreTurns", "waiting">>({
  any: "waiting",
  approval: waitWords("approval"),
  result: waitWords("result"),
  limit: waitWords("limit"),
})

/** A wait of a trace: its reason, and the tools or the limit. Other pauses have no reason of `Waiting`. */
export function waitNote({ name, detail }: Pick<TurnTrace["spans"][number], "name" | "detail">): string {
  const reason = WAIT_NAMES.get(detail ?? "")
  if (!reason) return detail === null ? "" : `for ${detail}`
  return `for ${reason} · ${detail === "limit" ? limitName(name) : name}`
}

/** The operations to read again after a wait has begun, changed or ended. */
export const WAIT_READS: OperationId[] = [
  "listWaitingTurns",
  "getAttention",
  "getTurn",
  "listTurns",
  "getTurnStats",
  "listChatTurns",
  "exploreTurns",
  "listTurnEvents",
  "listTurnSteps",
  "getTurnTrace",
]

const LIMITS: Record<string, string> = {
  max_cost: "the turn's own limit",
  balance: "the balance",
  end_user_credit: "the customer's wallet",
  key_daily: "the key's daily cap",
  key_monthly: "the key's monthly cap",
  key_window: "the key's cap of a window",
  end_user_daily: "the customer's daily cap",
  end_user_monthly: "the customer's monthly cap",
  account_daily: "the plan's daily cap",
  members_daily: "the daily cap of members",
}

/** A limit in words. */
export const limitName = (kind: string) => LIMITS[kind] ?? kind

/** A limit of the turn's own cost that lets its next model call run, rounded up to a cent. */
export const enoughFor = ({ continue_at_usd }: Pick<NonNullable<Waiting["limit"]>, "continue_at_usd">) =>
  String(Math.ceil((continue_at_usd ?? 0) * 100 + 1) / 100)

interface EarlierDecision {
  decision: "allow" | "deny"
  edited: boolean
  user_id: number | null
  name: string | null
  /** The API key that decided; null: a user. */
  key_id: string | null
  decided_at: string
}

/** True if another client was faster: the call waits for no decision any more. */
export const isTooLate = (error: unknown): error is ApiError =>
  error instanceof ApiError && ["CALL_DECIDED", "CALL_NOT_WAITING", "TURN_FINISHED"].includes(error.code)

/** The earlier decision about a call: who made it, and when. */
export function earlierWords(tool: string, error: ApiError, userId: number | undefined): string {
  const { earlier } = (error.details ?? {}) as { earlier?: EarlierDecision }
  if (!earlier) return `Nothing was decided about ${tool}. ${error.message}`
  const by = earlier.key_id ? "an API key" : earlier.user_id === userId ? "you" : (earlier.name ?? "a user")
  const word = earlier.decision === "deny" ? "denied" : earlier.edited ? "allowed with another input" : "allowed"
  return `The call of ${tool} was already ${word} by ${by}, ${exactUtc(earlier.decided_at)}. Your decision has no effect.`
}

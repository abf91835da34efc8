import { ONCE_POLICY } from "../actor/once.ts"
import { REPLAYED } from "../http/idempotency.ts"
import type { Operation } from "../http/operation.ts"

const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  required: false,
  description: "1–255 printable ASCII characters, unique per logical request: send the same one when you retry it.",
  example: "8e03978e-40d5-43e8-bc93-6894a57f9324",
}
const REPLAY_RULE =
  "The same Idempotency-Key with the same request answers what that has made, as it is now, with " +
  `\`${REPLAYED}: true\`, for at least ${ONCE_POLICY.keyDays} days. Keys belong to the account, its live ` +
  "and its test part apart; those of turns are counted apart from all others. Refusals are not kept."

/** What an operation's declaration that it is idempotent says in the document. */
export function withIdempotency(operation: Operation): Operation {
  if (!operation.idempotent) return operation
  const { description, headers = [], errors, answer } = operation
  const keyed: Operation = {
    ...operation,
    headers: [IDEMPOTENCY_KEY, ...headers],
    errors: [...errors, "IDEMPOTENCY_KEY_INVALID"],
  }
  if (operation.idempotent === "naturally") return keyed
  return {
    ...keyed,
    description: [description, REPLAY_RULE].filter(Boolean).join("\n\n"),
    errors: [...keyed.errors, "IDEMPOTENCY_KEY_REUSED"],
    answer: {
      ...answer,
      headers: { ...answer.headers, [REPLAYED]: "`true` when an earlier request has made it." },
    },
  }
}

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
  "A repeat of the request with the same Idempotency-Key changes nothing: it answers what the first one made, as it is now, " +
  `with \`${REPLAYED}: true\`. Keys are kept for at least ${ONCE_POLICY.keyDays} days. They belong to the account; live and test ` +
  "data have separate keys, and so have turns. A refused request does not use up its key."

/** Adds an operation's idempotency to its description, headers and errors. */
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
      headers: { ...answer.headers, [REPLAYED]: "`true` when an earlier request made it." },
    },
  }
}

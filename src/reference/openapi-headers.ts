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

const IF_MATCH = {
  name: "If-Match",
  required: false,
  description:
    "The `ETag` of the row that you have seen: the edit is made only when it is still that version. `*`: any.",
  example: '"3"',
}

/** Adds what an operation on a row with versions takes and answers: If-Match, ETag, and their errors. */
export function withVersions(operation: Operation): Operation {
  if (!operation.versioned) return operation
  const { headers = [], errors, answer } = operation
  const shown: Operation = {
    ...operation,
    answer: { ...answer, headers: { ...answer.headers, ETag: "Its `version`, in quotes." } },
  }
  if (operation.versioned === "shown") return shown
  return { ...shown, headers: [...headers, IF_MATCH], errors: [...errors, "IF_MATCH_INVALID", "VERSION_MISMATCH"] }
}

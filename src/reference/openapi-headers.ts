import { ONCE_POLICY } from "../actor/once.ts"
import { REPLAYED } from "../http/idempotency.ts"
import type { Operation } from "../http/operation.ts"
import { answersUnchanged } from "../http/preconditions.ts"

const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  required: false,
  description:
    "A unique value per logical request, of 1–255 printable ASCII characters. Send the same value when you retry.",
  example: "8e03978e-40d5-43e8-bc93-6894a57f9324",
}
const REPLAY_RULE =
  "If you repeat a request with the same Idempotency-Key, nothing changes. You get what the first request created, in its current state, " +
  `with \`${REPLAYED}: true\`. Keys are kept for at least ${ONCE_POLICY.keyDays} days and belong to the account. Live data, test data ` +
  "and turns each have separate keys. A rejected request does not use up its key."

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
      headers: { ...answer.headers, [REPLAYED]: "`true` if an earlier request with this key created it." },
    },
  }
}

const IF_MATCH = {
  name: "If-Match",
  required: false,
  description:
    "The `ETag` of the version that you have read. The change is made only if this is still the current version. `*`: any version.",
  example: '"3"',
}

const IF_NONE_MATCH = {
  name: "If-None-Match",
  required: false,
  description: "`*`: the change is made only if there is no such object yet.",
  example: "*",
}

/** Adds the headers and errors of an operation on a versioned or tagged resource: If-Match and ETag. */
export function withVersions(operation: Operation): Operation {
  if (operation.tagged) return withTags(operation)
  if (!operation.versioned) return operation
  const { headers = [], errors, answer } = operation
  const shown: Operation = {
    ...operation,
    answer: { ...answer, headers: { ...answer.headers, ETag: "The `version` of the resource, in quotes." } },
  }
  if (operation.versioned === "shown") return shown
  return { ...shown, headers: [...headers, IF_MATCH], errors: [...errors, "IF_MATCH_INVALID", "VERSION_MISMATCH"] }
}

function withTags(operation: Operation): Operation {
  const { headers = [], errors, answer, method } = operation
  const ETag = "A hash of the object's content, in quotes. Send it as If-Match with a change."
  if (method === "delete") return { ...operation, headers: [...headers, IF_MATCH], errors: withTagErrors(errors) }
  const shown: Operation = { ...operation, answer: { ...answer, headers: { ...answer.headers, ETag } } }
  if (method === "get") return answersUnchanged(operation) ? withUnchanged(shown) : shown
  const more = method === "put" ? [IF_MATCH, IF_NONE_MATCH] : [IF_MATCH]
  return { ...shown, headers: [...headers, ...more], errors: withTagErrors(errors) }
}

const IF_KNOWN = {
  name: "If-None-Match",
  required: false,
  description: "The `ETag` of the answer that you have. If it is still current, the answer is 304 without a body.",
  example: '"q2Xr0mB1c4VhU8tYpZkN5w"',
}

const withUnchanged = (operation: Operation): Operation => ({
  ...operation,
  headers: [...(operation.headers ?? []), IF_KNOWN],
  answer: {
    ...operation.answer,
    others: { ...operation.answer.others, 304: "The object is unchanged since the `ETag` in If-None-Match." },
  },
})

const withTagErrors = (errors: Operation["errors"]): Operation["errors"] => [
  ...errors,
  "IF_MATCH_INVALID",
  "VERSION_MISMATCH",
]

/** Adds the end of a deprecated operation to its description and headers. */
export function withDeprecation(operation: Operation): Operation {
  const { deprecated, description, answer } = operation
  if (!deprecated) return operation
  const { since, sunset, instead } = deprecated
  const notice = `Deprecated since ${since}. It can be gone from ${sunset} on. Use \`${instead}\`.`
  return {
    ...operation,
    description: [notice, description].filter(Boolean).join("\n\n"),
    answer: {
      ...answer,
      headers: {
        ...answer.headers,
        Deprecation: "When the operation was deprecated (RFC 9745).",
        Sunset: "When the operation can be gone (RFC 8594).",
      },
    },
  }
}

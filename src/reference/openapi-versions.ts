import type { Operation } from "../http/operation.ts"

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

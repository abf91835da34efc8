// Generated from the guides by scripts/generate-client.ts: npm run client:types.

/** The guides of the reference. `operators`: of the dashboard's API. */
export const DOCUMENTS: readonly { title: string; path: string; words: string; operators: boolean }[] = [
  { title: "Start", path: "/docs/start", words: "", operators: false },
  { title: "Authentication", path: "/docs/authentication", words: "", operators: false },
  { title: "The life of a turn", path: "/docs/turns", words: "What is billed Pictures Why a turn failed Why a turn was cancelled Events of a turn", operators: false },
  { title: "Retries and idempotency", path: "/docs/idempotency", words: "", operators: false },
  { title: "Caps and quotas", path: "/docs/caps", words: "Limits by number and size Holds Refusals Estimate a turn", operators: false },
  { title: "Receiving webhooks", path: "/docs/webhooks", words: "Event types Verification Delivery", operators: false },
  { title: "Limits", path: "/docs/limits", words: "", operators: false },
  { title: "Lists", path: "/docs/lists", words: "", operators: false },
  { title: "Money, time, sizes", path: "/docs/conventions", words: "", operators: false },
  { title: "Errors", path: "/docs/errors", words: "", operators: false },
  { title: "Session", path: "/api/docs/session", words: "", operators: true },
  { title: "The life of a turn", path: "/api/docs/turns", words: "What is billed Pictures Why a turn failed Why a turn was cancelled Events of a turn", operators: true },
  { title: "Caps and quotas", path: "/api/docs/caps", words: "Limits by number and size Holds Refusals Estimate a turn", operators: true },
  { title: "Limits", path: "/api/docs/limits", words: "", operators: true },
  { title: "Lists, money, time", path: "/api/docs/dashboard-lists", words: "", operators: true },
  { title: "Errors", path: "/api/docs/dashboard-errors", words: "", operators: true },
]

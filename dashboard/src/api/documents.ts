// Generated from the guides by scripts/generate-client.ts: npm run client:types.

/** The guides of the reference. `operators`: of the dashboard's API. */
export const DOCUMENTS: readonly { title: string; path: string; words: string; operators: boolean }[] = [
  { title: "Start", path: "/docs/start", words: "Set up The first turn The words of this documentation", operators: false },
  { title: "Authentication", path: "/docs/authentication", words: "Scopes Test keys Rotate a key", operators: false },
  { title: "The life of a turn", path: "/docs/turns", words: "States Conversations Wait for a turn Follow a turn In a browser Cancel a turn Why a turn failed Why a turn was cancelled Events of a turn", operators: false },
  { title: "Turns that wait", path: "/docs/waiting", words: "How a turn waits Wait at a limit Ask a person first Results that come later", operators: false },
  { title: "Files", path: "/docs/files", words: "Pictures", operators: false },
  { title: "Tools", path: "/docs/tools", words: "MCP servers", operators: false },
  { title: "OpenAI clients", path: "/docs/openai", words: "The first response Fields Chat completions Repeats by OpenAI's client Errors", operators: false },
  { title: "Retries and idempotency", path: "/docs/idempotency", words: "When to retry", operators: false },
  { title: "Billing", path: "/docs/billing", words: "The most that a turn can cost What is billed Balance and usage", operators: false },
  { title: "Caps and quotas", path: "/docs/caps", words: "The caps Limit a customer Counts and storage Holds Refusals Estimate a turn", operators: false },
  { title: "Receiving webhooks", path: "/docs/webhooks", words: "Register a webhook Try webhooks on your machine Verify a webhook The first ping Event types Delivery and retries", operators: false },
  { title: "Traces", path: "/docs/traces", words: "Continue a trace Receive spans When your collector fails", operators: false },
  { title: "Errors", path: "/docs/errors", words: "Handle errors", operators: false },
  { title: "Limits", path: "/docs/limits", words: "Spending Files Turns Spaces and tools Webhooks Requests and streams Numbers per account", operators: false },
  { title: "Lists", path: "/docs/lists", words: "", operators: false },
  { title: "How long data is kept", path: "/docs/retention", words: "Keep data for a shorter time A turn without its texts", operators: false },
  { title: "Money, time, sizes", path: "/docs/conventions", words: "", operators: false },
  { title: "From the Assistants API", path: "/docs/assistants", words: "What becomes what A thread with two messages", operators: false },
  { title: "Compare", path: "/docs/compare", words: "OpenAI's Responses API OpenAI's Assistants API Anthropic's managed agents LangGraph Platform Building it yourself", operators: false },
  { title: "Compatibility", path: "/docs/compatibility", words: "Changes that you should expect Changes that break How an operation ends Packages", operators: false },
  { title: "Session", path: "/api/docs/session", words: "", operators: true },
  { title: "Lists, money, time", path: "/api/docs/dashboard-lists", words: "", operators: true },
  { title: "Errors", path: "/api/docs/dashboard-errors", words: "", operators: true },
  { title: "Limits of the dashboard", path: "/api/docs/dashboard-limits", words: "Sign-in and sessions Lists of the dashboard Operators", operators: true },
]

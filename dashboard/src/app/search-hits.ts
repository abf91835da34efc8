import { useQuery } from "@tanstack/react-query"
import type { SearchHit } from "../api/operations.ts"
import { queryOf } from "../api/query.ts"
import { useSettled } from "../ui/figures.tsx"
import type { Entry } from "./commands.ts"

const WORDS: Record<SearchHit["kind"], string> = {
  turn: "Turn",
  conversation: "Conversation",
  space: "Space",
  end_user: "End user",
  key: "API key",
  webhook: "Webhook",
  delivery: "Delivery",
  event: "Event",
  file: "File",
  user: "User",
  audit: "Audit",
}

/** The path of the owner's page of an object, or null if the object has no page. */
function pageOf({ kind, id, detail }: SearchHit): string | null {
  const part = encodeURIComponent(id)
  switch (kind) {
    case "turn":
      return `/turns/${part}`
    case "conversation":
      return `/turns?conversation=${part}`
    case "space":
      return `/spaces/${part}`
    case "end_user":
      return `/end-users/${part}`
    case "key":
      return `/keys/${part}`
    case "webhook":
      return `/webhooks/${part}`
    case "delivery":
      return `/deliveries/${part}`
    case "file":
      return detail === null ? null : `/spaces/${encodeURIComponent(detail)}?tab=files`
    default:
      return null
  }
}

/** The path of the operator's page of an object, or null if the object has no page. */
function pageForOperator({ kind, id }: SearchHit): string | null {
  const part = encodeURIComponent(id)
  switch (kind) {
    case "turn":
      return `/operator/turns/${part}`
    case "conversation":
      return `/operator/turns?conversation=${part}`
    case "key":
      return `/operator/turns?key=${part}`
    case "space":
      return `/operator/spaces/${part}`
    case "user":
      return `/operator/users/${part}`
    case "audit":
      return `/operator/audit?entry=${part}`
    default:
      return null
  }
}

const SETTLE_MS = 150
/** A shorter text would find too much. An id is longer. */
const LEAST = 2

/** Objects that the API finds for a text: of the account, and for operators of all accounts. */
export function useSearchHits(
  typed: string,
  { admin, operators, test }: { admin: boolean; operators: boolean; test: true | undefined },
): Entry[] {
  const q = useSettled(typed.trim(), SETTLE_MS)
  const enabled = q.length >= LEAST
  const own = useQuery({ ...queryOf("search", { query: { q, test: test && "true" } }), enabled, retry: false })
  const all = useQuery({ ...queryOf("searchEverything", { query: { q } }), enabled: enabled && admin, retry: false })
  if (!enabled) return []
  const mine = (own.data?.items ?? []).flatMap((hit) => entryOf(hit, pageOf(hit), ""))
  const everyone = (all.data?.items ?? []).flatMap((hit) => entryOf(hit, pageForOperator(hit), "as operator"))
  const found = operators ? [...everyone, ...mine] : [...mine, ...everyone]
  return found.filter(({ href }, index) => found.findIndex((other) => other.href === href) === index)
}

function entryOf(hit: SearchHit, href: string | null, note: string): Entry[] {
  if (href === null) return []
  const isId = hit.kind === "turn" || hit.kind === "delivery" || hit.kind === "conversation"
  const label = isId ? `${hit.id} · ${hit.title}` : hit.title
  return [{ label, hint: [WORDS[hit.kind], note].filter(Boolean).join(" "), href }]
}

import type { SearchHit } from "../api/operations.ts"

/** A row of the palette for a hit. */
interface HitEntry {
  label: string
  hint: string
  href: string
}

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
function pageForOperator({ kind, id, detail }: SearchHit): string | null {
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
    // The detail of these is their account.
    case "end_user":
      return `/operator/turns?user_id=${detail}&end_user_ref=${part}`
    case "webhook":
    case "event":
      return `/operator/users/${detail}`
    case "user":
      return `/operator/users/${part}`
    case "audit":
      return `/operator/audit?entry=${part}`
    default:
      return null
  }
}

function entryOf(hit: SearchHit, href: string | null, note: string): HitEntry[] {
  if (href === null) return []
  const isId = ["turn", "delivery", "conversation", "event"].includes(hit.kind)
  const label = isId ? `${hit.id} · ${hit.title}` : hit.title
  return [{ label, hint: [WORDS[hit.kind], note].filter(Boolean).join(" "), href }]
}

/**
 * The rows of the hits of the account and of all accounts. An object of an operator's own account has a row for each
 * of its two pages. Objects that share a page, such as the webhooks of an account, are one row only if they look alike.
 */
export function entriesOfHits(own: readonly SearchHit[], all: readonly SearchHit[], operators: boolean): HitEntry[] {
  const mine = own.flatMap((hit) => entryOf(hit, pageOf(hit), ""))
  const everyone = all.flatMap((hit) => entryOf(hit, pageForOperator(hit), "as operator"))
  const found = operators ? [...everyone, ...mine] : [...mine, ...everyone]
  return [...new Map(found.map((entry) => [`${entry.href} ${entry.label}`, entry])).values()]
}

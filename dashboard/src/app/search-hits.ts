import { useQuery } from "@tanstack/react-query"
import { queryOf } from "../api/query.ts"
import { useSettled } from "../ui/figures.tsx"
import type { Entry } from "./commands.ts"
import { entriesOfHits } from "./hit-entries.ts"

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
  return entriesOfHits(own.data?.items ?? [], all.data?.items ?? [], operators)
}

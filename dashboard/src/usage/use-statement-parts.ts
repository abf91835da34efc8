import { useQueries } from "@tanstack/react-query"
import type { Statement } from "../api/operations.ts"
import { queryOf } from "../api/query.ts"
import { getUsageQuery } from "../api/rules.ts"
import { PARTS, partOf, queryOfPart, type StatementPart } from "./statement-parts.ts"

/** Reads the groups of a statement. Undefined while they load. */
export function useStatementParts(document: Statement): StatementPart[] | undefined {
  const reports = useQueries({
    queries: PARTS.map(({ by }) =>
      queryOf("getUsage", { query: { ...queryOfPart(document, by), limit: getUsageQuery.limit.maximum } }),
    ),
  })
  const parts = PARTS.map((part, at) => partOf(part, reports[at]?.data, document))
  return parts.every((part) => part !== null) ? parts : undefined
}

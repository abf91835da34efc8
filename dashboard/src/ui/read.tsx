import type { UseQueryResult } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { ErrorState } from "./error-state.tsx"
import { Skeleton } from "./skeleton.tsx"

interface ReadProps<Data> {
  of: UseQueryResult<Data, Error>
  /** The height of the skeleton in rows. */
  rows?: number
  children: (data: Data) => ReactNode
}

/** Renders a query: a skeleton while it loads, and its error. Shown data stays if a later read fails. */
export function Read<Data>({ of, rows, children }: ReadProps<Data>) {
  return (
    <>
      {of.error && <ErrorState error={of.error} onRetry={() => void of.refetch()} />}
      {of.data !== undefined ? children(of.data) : of.error ? null : <Skeleton rows={rows} />}
    </>
  )
}

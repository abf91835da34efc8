import type { UseQueryResult } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { ErrorState } from "./error-state.tsx"
import { Skeleton } from "./skeleton.tsx"

interface ReadProps<Data> {
  of: UseQueryResult<Data, Error>
  /** How many rows to keep free while it loads. */
  rows?: number
  children: (data: Data) => ReactNode
}

/** What was read; before that a skeleton, and instead of it the API's error. What is shown already stays when a later read fails. */
export function Read<Data>({ of, rows, children }: ReadProps<Data>) {
  return (
    <>
      {of.error && <ErrorState error={of.error} onRetry={() => void of.refetch()} />}
      {of.data !== undefined ? children(of.data) : of.error ? null : <Skeleton rows={rows} />}
    </>
  )
}

import { type Arguments, addressOf, type OperationId } from "../api/call.ts"
import { DownloadLink } from "./download-link.tsx"

/** Downloads the shown data as CSV: the same operation and filters with `format=csv`. */
export function CsvLink<Id extends OperationId>({ of, input }: { of: Id; input?: Arguments<Id>[0] }) {
  const { query, ...rest } = (input ?? {}) as { query?: object }
  const asked = { ...rest, query: { ...query, format: "csv" } } as unknown
  return <DownloadLink href={addressOf(of, ...([asked] as unknown as Arguments<Id>))}>CSV</DownloadLink>
}

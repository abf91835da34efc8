import { useMutation, useQuery } from "@tanstack/react-query"
import { readError } from "../api/api-error.ts"
import { type Arguments, addressOf } from "../api/call.ts"
import type { ReportFile } from "../api/operations.ts"
import { queryOf } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { DownloadLink } from "../ui/download-link.tsx"
import { Notice } from "../ui/notice.tsx"
import { counted } from "../ui/numbers.ts"
import { saveFile } from "../ui/save-file.ts"
import { Time } from "../ui/values.tsx"

const LOOK_AGAIN_MS = 2_000

/** The reports whose CSV may be a file that is made after the request. */
type Filed = "getDailyUsage" | "getContextSize"

/**
 * Downloads a report as CSV. If it has too many rows for one answer, the button shows the progress of its file, and
 * then a link.
 */
export function ReportCsv<Id extends Filed>({ of, input }: { of: Id; input: { query: object } }) {
  const asked = { query: { ...input.query, format: "csv" } } as unknown
  const address = addressOf(of, ...([asked] as unknown as Arguments<Id>))
  const read = useMutation({
    mutationFn: async (address: string): Promise<ReportFile | null> => {
      const response = await fetch(address)
      if (!response.ok) throw await readError(response)
      if (response.status === 202) return response.json()
      const name = /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1]
      saveFile(await response.blob(), name ?? "report.csv")
      return null
    },
  })
  const started = read.data ?? undefined
  // Other filters are another file.
  const isShown = started !== undefined && read.variables === address
  return (
    <span className="flex flex-wrap items-center gap-2">
      {isShown ? (
        <MadeFile started={started} />
      ) : (
        <Button icon="download" busy={read.isPending} onClick={() => read.mutate(address)}>
          CSV
        </Button>
      )}
      {read.error && <Notice>{read.error.message}</Notice>}
    </span>
  )
}

/** A file that is being made, and then its link. */
function MadeFile({ started }: { started: ReportFile }) {
  const { data: file = started, error } = useQuery({
    ...queryOf("getReportFile", { path: { file_id: started.file_id } }),
    refetchInterval: ({ state }) =>
      state.data?.state === "ready" || state.data?.state === "failed" ? false : LOOK_AGAIN_MS,
  })
  const rows = counted(file.rows, "row")
  if (file.state === "failed" || error)
    return <Notice>The file could not be made. Load the page again and retry.</Notice>
  if (file.state === "making")
    return (
      <span role="status" className="text-muted">
        Making the file: {Math.floor(file.progress * 100)} %, {rows}
      </span>
    )
  return (
    <>
      <DownloadLink href={addressOf("getReportFileContent", { path: { file_id: file.file_id } })}>
        Download
      </DownloadLink>
      <span role="status" className="text-muted">
        {rows}, until <Time at={file.expires_at} />
      </span>
    </>
  )
}

import { useChange, useRead } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { OutLink } from "../ui/link.tsx"
import { Section } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { Status } from "../ui/status.tsx"
import { toast } from "../ui/toast.tsx"
import { Time } from "../ui/values.tsx"

/** Starts and stops the export of charges as events. */
export function ExportSection() {
  const state = useRead("getUsageExport")
  const change = useChange("putUsageExport", { changes: ["getUsageExport"] })
  const put = (enabled: boolean) =>
    change.mutate({ body: { enabled } }, { onSuccess: () => toast(enabled ? "Export started" : "Export stopped") })
  return (
    <Section title="Usage export">
      <p className="text-muted">
        Sends each charge and refund as an event, and the number, sum and digest of each hour, for your own meter.{" "}
        <OutLink href="/docs/metering">Metering and billing</OutLink>
      </p>
      <Read of={state} rows={1}>
        {({ enabled, started_at, closed_until }) => (
          <div className="flex flex-wrap items-center gap-3">
            <Status word={enabled ? "enabled" : "off"} />
            {enabled && (
              <span className="text-muted">
                since <Time at={started_at} />, complete until <Time at={closed_until} />
              </span>
            )}
            <Button does="putUsageExport" onClick={() => put(!enabled)} busy={change.isPending}>
              {enabled ? "Stop export" : "Start export"}
            </Button>
          </div>
        )}
      </Read>
    </Section>
  )
}

import { useSearch } from "@tanstack/react-router"
import { Suspense, useState } from "react"
import type { Session } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { Section } from "../ui/page.tsx"
import { OffsetPager, PAGE_ROWS } from "../ui/pager.tsx"
import { Read } from "../ui/read.tsx"
import { Status } from "../ui/status.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { Time } from "../ui/values.tsx"

const EndOne = lazyPart(() => import("./account-dialogs.tsx").then((module) => ({ default: module.EndSessionDialog })))
const EndOthers = lazyPart(() =>
  import("./account-dialogs.tsx").then((module) => ({ default: module.EndOtherSessionsDialog })),
)

/** The browser and operating system, from the User-Agent header. */
function browserOf(agent: string | null): string {
  if (!agent) return "unknown"
  const browser = [/Edg\//, /Firefox\//, /Chrom(e|ium)\//, /Safari\//].findIndex((pattern) => pattern.test(agent))
  const system = /Windows|Android|iPhone|iPad|Mac OS X|Linux/.exec(agent)?.[0]
  const name = ["Edge", "Firefox", "Chrome", "Safari"][browser]
  return name ? `${name}${system ? ` on ${system.replace("Mac OS X", "macOS")}` : ""}` : agent
}

export function SessionsTab() {
  const { offset = 0 } = useSearch({ from: "/app/account" })
  const sessions = useRead("listSessions", { query: { limit: PAGE_ROWS, offset } })
  const [ending, setEnding] = useState<Session | "others" | null>(null)
  const others = (sessions.data?.total ?? 1) - 1
  const columns: Column<Session>[] = [
    {
      title: "Browser",
      cell: ({ user_agent, current }) => (
        <span className="inline-flex flex-wrap items-center gap-2" title={user_agent ?? undefined}>
          <span className="max-w-[48ch] truncate">{browserOf(user_agent)}</span>
          {current && <Status word="current" tone="ok" />}
        </span>
      ),
    },
    { title: "IP address", cell: ({ address }) => <code>{address ?? "–"}</code> },
    { title: "Last seen", right: true, cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
    { title: "Created", right: true, cell: ({ created_at }) => <Time at={created_at} /> },
    { title: "Expires", right: true, cell: ({ expires_at }) => <Time at={expires_at} /> },
    {
      title: "Actions",
      actions: true,
      cell: (session) => (
        <Button
          kind="quiet"
          aria-label={`End the session of ${browserOf(session.user_agent)} from ${session.address ?? "an unknown address"}`}
          onClick={() => setEnding(session)}
        >
          End
        </Button>
      ),
    },
  ]
  return (
    <Section
      title="Sessions"
      action={
        others > 0 && (
          <Button kind="danger" onClick={() => setEnding("others")}>
            End all other sessions
          </Button>
        )
      }
    >
      <p className="text-muted">A session expires if it is not used for 30 days.</p>
      <Read of={sessions} rows={4}>
        {({ items, total }) => (
          <>
            <Table
              caption="Sessions of this account"
              rows={items}
              rowKey={({ session_id }) => session_id}
              columns={columns}
              stale={sessions.isPlaceholderData}
            />
            <OffsetPager offset={offset} total={total} />
          </>
        )}
      </Read>
      <Suspense>
        {ending === "others" && <EndOthers others={others} onClose={() => setEnding(null)} />}
        {ending && ending !== "others" && <EndOne session={ending} onClose={() => setEnding(null)} />}
      </Suspense>
    </Section>
  )
}

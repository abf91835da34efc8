import { useSearch } from "@tanstack/react-router"
import { Suspense, useState } from "react"
import type { Provider, ProviderBookDay, ProviderReport } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { listProviderBooksQuery } from "../api/rules.ts"
import { Button } from "../ui/button.tsx"
import { CsvLink } from "../ui/csv-link.tsx"
import { ChoiceFilter, FilterBar } from "../ui/filter-bar.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { TextLink } from "../ui/link.tsx"
import { Page, Section } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { Status } from "../ui/status.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { Count, Money, Time } from "../ui/values.tsx"
import { Findings, FORMATS, STATES } from "./book-words.tsx"
import { providersPages } from "./pages.ts"

const ReportDialog = lazyPart(() => import("./report-dialog.tsx").then((file) => ({ default: file.ReportDialog })))
const EndReport = lazyPart(() => import("./report-dialog.tsx").then((file) => ({ default: file.EndReport })))

const DAYS = [
  ["7", "7 days"],
  ["90", "90 days"],
  ["365", "365 days"],
] as const

type Open =
  | { what: "edit"; account: Provider; report: ProviderReport | undefined }
  | { what: "end"; report: ProviderReport }

/** The days of provider accounts next to their providers' reports, and the keys to read these. */
export function ProviderBooksPage() {
  const { days = listProviderBooksQuery.days.default, account } = useSearch({
    from: "/app/admin/operator/providers/books",
  })
  const input = { query: { days, ...(account && { provider_id: account }) } }
  const books = useRead("listProviderBooks", input)
  const providers = useRead("listProviders")
  const altPool = useRead("getAltPool")
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  const accounts = [
    ...new Map(
      [...(providers.data?.items ?? []), ...(altPool.data?.accounts ?? [])].map((one) => [one.provider_id, one]),
    ).values(),
  ]
  return (
    <Page {...providersPages.books}>
      <FilterBar set={{ account }} end={<CsvLink of="listProviderBooks" input={input} />}>
        <ChoiceFilter
          label="Range"
          name="days"
          value={days === listProviderBooksQuery.days.default ? undefined : String(days)}
          all={`${listProviderBooksQuery.days.default} days`}
          options={DAYS}
        />
        <ChoiceFilter
          label="Account"
          name="account"
          value={account}
          all="All accounts"
          options={accounts.map(({ provider_id, name }) => [provider_id, name] as const)}
        />
      </FilterBar>
      <Read of={books}>
        {({ items, reports }) => (
          <>
            <Table
              caption="Days of provider accounts"
              rows={items}
              rowKey={({ provider_id, day }) => `${provider_id} ${day}`}
              columns={COLUMNS}
              empty={
                <p className="text-muted">
                  {reports.length === 0
                    ? "Store a key for the reports of an account below. Its days of the last week are compared at once."
                    : "No day was compared in this range. A day is first compared six hours after its end."}
                </p>
              }
            />
            <Section title="Reports">
              <Reports accounts={accounts} reports={reports} onOpen={setOpen} />
            </Section>
          </>
        )}
      </Read>
      <Suspense>
        {open?.what === "edit" && <ReportDialog account={open.account} report={open.report} onClose={close} />}
        {open?.what === "end" && <EndReport report={open.report} onClose={close} />}
      </Suspense>
    </Page>
  )
}

const COLUMNS: Column<ProviderBookDay>[] = [
  {
    title: "Day (UTC)",
    cell: ({ provider_id, day }) => (
      <TextLink to="/operator/providers/books/$providerId/$day" params={{ providerId: provider_id, day }}>
        {day}
      </TextLink>
    ),
  },
  { title: "Account", cell: ({ provider_id, account }) => account ?? <code>{provider_id}</code> },
  { title: "State", cell: ({ state, failure }) => (failure ? <Status word={failure} tone="bad" /> : STATES[state]) },
  { title: "Findings", cell: (day) => <Findings of={day} /> },
  { title: "Calls", right: true, cell: ({ model_calls }) => <Count value={model_calls} /> },
  { title: "Provider's cost", right: true, cell: ({ provider_usd }) => <Money usd={provider_usd} /> },
  { title: "Our cost", right: true, cell: ({ cost_usd }) => <Money usd={cost_usd} /> },
  { title: "Billed", right: true, cell: ({ billed_usd }) => <Money usd={billed_usd} /> },
  { title: "Real margin", right: true, cell: ({ margin_usd }) => <Money usd={margin_usd} /> },
]

interface ReportsProps {
  accounts: Provider[]
  reports: ProviderReport[]
  onOpen: (open: Open) => void
}

function Reports({ accounts, reports, onOpen }: ReportsProps) {
  const of = new Map(reports.map((report) => [report.provider_id, report]))
  return (
    <Table
      caption="How the reports of each account are read"
      rows={accounts}
      rowKey={({ provider_id }) => provider_id}
      columns={[
        { title: "Account", cell: (row) => row.name },
        {
          title: "Reports",
          cell: ({ provider_id }) => {
            const report = of.get(provider_id)
            return report ? FORMATS[report.format] : <span className="text-muted">not compared</span>
          },
        },
        { title: "Shared", cell: ({ provider_id }) => (of.get(provider_id)?.shared ? "yes" : "–") },
        { title: "Workspace or project", cell: ({ provider_id }) => of.get(provider_id)?.scope_id ?? "–" },
        { title: "Changed", cell: ({ provider_id }) => <Time at={of.get(provider_id)?.updated_at} /> },
        {
          title: "Actions",
          actions: true,
          cell: (account) => {
            const report = of.get(account.provider_id)
            return (
              <span className="inline-flex gap-2">
                <Button onClick={() => onOpen({ what: "edit", account, report })}>
                  {report ? "Edit" : "Set a key"}
                </Button>
                {report && (
                  <Button kind="danger" onClick={() => onOpen({ what: "end", report })}>
                    End
                  </Button>
                )}
              </span>
            )
          },
        },
      ]}
      empty={<p className="text-muted">There are no provider accounts.</p>}
    />
  )
}

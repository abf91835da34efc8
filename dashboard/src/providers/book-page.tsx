import { getRouteApi } from "@tanstack/react-router"
import type { ProviderBook, ProviderBookFinding } from "../api/operations.ts"
import { useChange, useRead } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { KeyValues } from "../ui/facts.tsx"
import { TextLink } from "../ui/link.tsx"
import { Page, Section } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { Status } from "../ui/status.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { toast } from "../ui/toast.tsx"
import { Count, Id, Money, Time } from "../ui/values.tsx"
import { Findings, KINDS_OF_FINDINGS, STATES, UNITS } from "./book-words.tsx"
import { providersPages } from "./pages.ts"

const route = getRouteApi("/app/admin/operator/providers/books/$providerId/$day")

/** One day of a provider account: the provider's numbers next to ours, the findings, and our calls. */
export function ProviderBookPage() {
  const { providerId: provider_id, day } = route.useParams()
  const path = { provider_id, day }
  const book = useRead("getProviderBook", { path })
  const compare = useChange("compareProviderBook")
  const see = useChange("seeProviderBook")
  const told = (words: string) => ({
    onSuccess: () => toast(words),
    onError: (error: Error) => toast(error.message, { bad: true }),
  })
  return (
    <Page
      title={`${book.data?.account ?? provider_id}, ${day}`}
      about={providersPages.book.about}
      above={<TextLink to="/operator/providers/books">Provider&apos;s books</TextLink>}
      action={
        <>
          {book.data && book.data.findings_total > 0 && !book.data.seen_at && (
            <Button busy={see.isPending} onClick={() => see.mutate({ path }, told("The findings are marked as seen."))}>
              Mark as seen
            </Button>
          )}
          <Button
            kind="primary"
            busy={compare.isPending}
            onClick={() => compare.mutate({ path }, told("The day was compared again."))}
          >
            Compare again
          </Button>
        </>
      }
    >
      <Read of={book} rows={8}>
        {(data) => <Book of={data} />}
      </Read>
    </Page>
  )
}

function Book({ of }: { of: ProviderBook }) {
  return (
    <>
      <KeyValues entries={factsOf(of)} />
      <Section title="Findings">
        <Table
          caption="Findings of the day"
          rows={of.findings}
          rowKey={({ kind, model, response_id }) => `${kind} ${model} ${response_id}`}
          columns={FINDINGS}
          empty={<p className="text-muted">No findings.</p>}
        />
      </Section>
      <Section title="By model">
        <Table
          caption="Numbers of each model"
          rows={of.lines}
          rowKey={({ model, unit }) => `${model} ${unit}`}
          columns={LINES}
          empty={<p className="text-muted">Neither the provider nor we have calls on this day.</p>}
        />
      </Section>
      <Section title="Our calls with the largest cost">
        <Table
          caption="Our calls of the day"
          rows={of.calls}
          rowKey={({ turn_id, step, response_id }) => `${turn_id} ${step} ${response_id}`}
          columns={CALLS}
          empty={<p className="text-muted">The account served no calls on this day.</p>}
        />
      </Section>
    </>
  )
}

function factsOf(of: ProviderBook): Parameters<typeof KeyValues>[0]["entries"] {
  return [
    ["State", of.failure ? <Status key="state" word={of.failure} tone="bad" /> : STATES[of.state]],
    ["Findings", <Findings key="findings" of={of} />],
    ["Compared", <Time key="compared" at={of.compared_at} />],
    ["Next comparison", <Time key="next" at={of.next_at} />],
    ["Provider's cost", <Money key="theirs" usd={of.provider_usd} />],
    ["Credits and discounts in it", <Money key="credits" usd={of.credits_usd} />],
    ["Lines without a model in it", <Money key="other" usd={of.other_usd} />],
    ["Other software in it", <Money key="foreign" usd={of.foreign_usd} />],
    ["Lost calls in it", <Money key="lost" usd={of.explained_usd} />],
    ["Our cost", <Money key="cost" usd={of.cost_usd} />],
    ["Billed", <Money key="billed" usd={of.billed_usd} />],
    ["Real margin", <Money key="margin" usd={of.margin_usd} />],
    ["Calls", <Count key="calls" value={of.model_calls} />],
    ["Lost calls", <Count key="lostCalls" value={of.lost_calls} />],
  ]
}

const shown = (unit: ProviderBook["lines"][number]["unit"], value: number) =>
  unit === "usd" ? <Money usd={value} /> : <Count value={value} />

const FINDINGS: Column<ProviderBookFinding>[] = [
  { title: "Finding", cell: ({ kind }) => <Status word={KINDS_OF_FINDINGS[kind]} tone="bad" /> },
  { title: "Model", cell: ({ model }) => <code>{model}</code> },
  {
    title: "Difference",
    long: true,
    cell: ({ units }) => (
      <ul>
        {units.map(({ unit, theirs, ours }) => (
          <li key={unit}>
            {UNITS[unit]}: {shown(unit, theirs)} instead of {shown(unit, ours)}
          </li>
        ))}
      </ul>
    ),
  },
  { title: "Amount", right: true, cell: ({ difference_usd }) => <Money usd={difference_usd} /> },
  {
    title: "Single call",
    cell: ({ response_id, turn_id }) =>
      response_id === null ? (
        "–"
      ) : (
        <span className="inline-flex flex-col">
          <Id id={response_id} />
          {turn_id && <Id id={turn_id} href={`/operator/turns/${turn_id}`} />}
        </span>
      ),
  },
  { title: "Found", right: true, cell: ({ found_at }) => <Time at={found_at} /> },
]

const LINES: Column<ProviderBook["lines"][number]>[] = [
  { title: "Model", cell: ({ model }) => <code>{model}</code> },
  { title: "Number", cell: ({ unit }) => UNITS[unit] },
  { title: "Provider", right: true, cell: ({ unit, theirs }) => shown(unit, theirs) },
  { title: "Our calls", right: true, cell: ({ unit, ours }) => shown(unit, ours) },
  { title: "At least", right: true, cell: ({ unit, least }) => shown(unit, least) },
  { title: "At most", right: true, cell: ({ unit, most }) => shown(unit, most) },
]

const CALLS: Column<ProviderBook["calls"][number]>[] = [
  { title: "Turn", cell: ({ turn_id }) => <Id id={turn_id} href={`/operator/turns/${turn_id}`} /> },
  { title: "Model", cell: ({ model }) => <code>{model}</code> },
  { title: "Id at the provider", cell: ({ response_id }) => (response_id ? <Id id={response_id} /> : "–") },
  { title: "Input tokens", right: true, cell: ({ tokens_input }) => <Count value={tokens_input} /> },
  { title: "Output tokens", right: true, cell: ({ tokens_output }) => <Count value={tokens_output} /> },
  { title: "Our cost", right: true, cell: ({ cost_usd }) => <Money usd={cost_usd} /> },
  { title: "Billed", right: true, cell: ({ billed_usd }) => <Money usd={billed_usd} /> },
  { title: "Ended", right: true, cell: ({ created_at }) => <Time at={created_at} /> },
]

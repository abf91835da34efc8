import { useQuery } from "@tanstack/react-query"
import { useParams } from "@tanstack/react-router"
import { addressOf } from "../api/call.ts"
import type { Statement } from "../api/operations.ts"
import { queryOf } from "../api/query.ts"
import { CsvLink } from "../ui/csv-link.tsx"
import { DownloadLink } from "../ui/download-link.tsx"
import { KeyValues, Stat, Stats } from "../ui/facts.tsx"
import { AlignedMoney } from "../ui/figures.tsx"
import { TextLink } from "../ui/link.tsx"
import { counted } from "../ui/numbers.ts"
import { Page, Section } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { Count, Id, MoneyOfDecimal, UtcDay } from "../ui/values.tsx"
import { usagePages } from "./pages.ts"
import { HandOver } from "./statement-hand-over.tsx"
import { PartSection } from "./statement-part.tsx"
import { queryOfPart } from "./statement-parts.ts"
import { monthWords } from "./statement-words.ts"
import { useStatementParts } from "./use-statement-parts.ts"

/** The poll interval in milliseconds while a large month is being read. */
const BUILDING_MS = 5_000

export function StatementPage() {
  const { month } = useParams({ from: "/app/statements/$month" })
  const input = { path: { month } }
  const statement = useQuery({
    ...queryOf("getStatement", input),
    refetchInterval: ({ state }) => state.data?.state === "building" && BUILDING_MS,
  })
  return (
    <Page
      {...usagePages.statement}
      title={`Statement for ${monthWords(month)}`}
      above={<TextLink to="/statements">Statements</TextLink>}
      action={
        statement.data?.statement && (
          <DownloadLink href={addressOf("getStatement", input)} name={`statement-${month}.json`}>
            Signed JSON
          </DownloadLink>
        )
      }
    >
      <Read of={statement} rows={8}>
        {({ state, statement: signed, receipts_read }) =>
          signed ? (
            <WholeStatement document={signed.document} digest={signed.digest} />
          ) : state === "open" ? (
            <p>
              This month is not over. Its statement is final soon after its end. Until then, see{" "}
              <TextLink to="/usage">Usage</TextLink>.
            </p>
          ) : (
            <p role="status">
              The receipts of this month are being read: <Count value={receipts_read} /> so far.
            </p>
          )
        }
      </Read>
    </Page>
  )
}

function WholeStatement({ document, digest }: { document: Statement; digest: string }) {
  const { receipts, refunds, other_charges, total_usd, days } = document
  const parts = useStatementParts(document)
  return (
    <>
      <HandOver document={document} digest={digest} parts={parts} />
      <Stats>
        <Stat label="Receipts" hint={counted(receipts.count, "turn")}>
          <MoneyOfDecimal decimal={receipts.amount_usd} />
        </Stat>
        <Stat label="Containers and storage" hint={counted(other_charges.count, "charge")}>
          <MoneyOfDecimal decimal={other_charges.amount_usd} />
        </Stat>
        <Stat label="Refunds" hint={counted(refunds.count, "turn")}>
          <MoneyOfDecimal decimal={refunds.amount_usd} />
        </Stat>
        <Stat label="Total">
          <MoneyOfDecimal decimal={total_usd} />
        </Stat>
      </Stats>
      {parts?.map((part) => (
        <PartSection key={part.by} part={part} document={document} />
      ))}
      <Section title="By day" action={<CsvLink of="getUsage" input={{ query: queryOfPart(document, "day") }} />}>
        <Table
          caption="Days with receipts, oldest first"
          rows={days}
          rowKey={({ day }) => day}
          columns={COLUMNS}
          empty={<p className="text-muted">No turn ended in this month.</p>}
        />
      </Section>
      <Section title="Proof">
        <KeyValues
          entries={[
            ["Digest of the statement", <Id key="statement" id={digest} />],
            ["Digest of all receipts", <Id key="receipts" id={receipts.digest} />],
            ["Digest of the refunds", <Id key="refunds" id={refunds.digest} />],
          ]}
        />
      </Section>
    </>
  )
}

const COLUMNS: Column<Statement["days"][number]>[] = [
  { title: "Day (UTC)", cell: ({ day }) => <UtcDay of={day} /> },
  { title: "Receipts", right: true, cell: ({ receipts }) => <Count value={receipts} /> },
  { title: "Amount", right: true, cell: ({ amount_usd }) => <AlignedMoney usd={Number(amount_usd)} /> },
  { title: "Digest", cell: ({ digest }) => <Id id={digest} /> },
]

import { useParams, useSearch } from "@tanstack/react-router"
import { Suspense, useState } from "react"
import { wordsOf } from "../api/code-words.ts"
import type { EndUser } from "../api/operations.ts"
import { useChange, useRead } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { CopyButton } from "../ui/copy.tsx"
import { useDraft } from "../ui/draft.ts"
import { Stat, Stats } from "../ui/facts.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { ButtonLink, TextLink } from "../ui/link.tsx"
import { Page, Section } from "../ui/page.tsx"
import { RateTable } from "../ui/rate-table.tsx"
import { Read } from "../ui/read.tsx"
import { Status } from "../ui/status.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { toast } from "../ui/toast.tsx"
import { UnusualSpend } from "../ui/unusual-spend.tsx"
import { Count, Money, MoneyFigure, Time } from "../ui/values.tsx"
import { EndUserReceipt } from "./erasure-receipt.tsx"
import { EndUserLimitsForm } from "./limits-form.tsx"
import { endUsersPages } from "./pages.ts"
import { EndUserProfileSection } from "./profile-section.tsx"
import { EndUserSpend } from "./spend-by-day.tsx"
import { EndUserWallet } from "./wallet-section.tsx"
import { EndUserWhy } from "./why-section.tsx"

const BlockDialog = lazyPart(() =>
  import("./change-dialogs.tsx").then((module) => ({ default: module.BlockEndUserDialog })),
)
const EraseDialog = lazyPart(() =>
  import("./change-dialogs.tsx").then((module) => ({ default: module.EraseEndUserDialog })),
)
const ExportDialog = lazyPart(() => import("./export-dialog.tsx").then((module) => ({ default: module.ExportDialog })))

export function EndUserPage() {
  const { endUserRef } = useParams({ from: "/app/end-users/$endUserRef" })
  const { test, erasure } = useSearch({ from: "/app/end-users/$endUserRef" })
  const input = { path: { end_user_ref: endUserRef }, query: { test: test && ("true" as const) } }
  const endUser = useRead("getEndUser", input)
  const [open, setOpen] = useState<"block" | "erase" | "export" | null>(null)
  const close = () => setOpen(null)
  return (
    <Page
      title={endUserRef}
      about={endUsersPages.detail.about}
      above={
        <TextLink to="/end-users" search={{ test }}>
          End users
        </TextLink>
      }
      action={
        endUser.data && (
          <>
            <ButtonLink
              does="previewPortal"
              to="/end-users/$endUserRef/portal"
              params={{ endUserRef }}
              search={{ test }}
            >
              Portal
            </ButtonLink>
            <Button does="exportEndUser" onClick={() => setOpen("export")}>
              Export
            </Button>
            <Button
              does="putEndUserLimits"
              kind={endUser.data.limits.blocked ? "primary" : "danger"}
              onClick={() => setOpen("block")}
            >
              {endUser.data.limits.blocked ? "Unblock" : "Block"}
            </Button>
          </>
        )
      }
    >
      {erasure && <EndUserReceipt erasureId={erasure} test={test} />}
      <Read of={endUser} rows={8}>
        {(data) => (
          <>
            <EndUserFacts of={data} test={test} />
            {!test && <UnusualSpend end_user_ref={endUserRef} />}
            <Section title="Spend by day">
              <EndUserSpend endUserRef={endUserRef} />
            </Section>
            <EndUserWhy endUserRef={endUserRef} />
            <EndUserWallet endUserRef={endUserRef} test={test} />
            <Section title="Caps">
              {data.caps.length > 0 && (
                <Table
                  caption="The caps that apply to new turns"
                  rows={data.caps}
                  rowKey={({ cap, source }) => cap + source}
                  columns={CAP_COLUMNS}
                />
              )}
              {data.rates.length > 0 && <RateTable caption="The rates that apply to new turns" states={data.rates} />}
              <OwnCaps key={JSON.stringify(data.limits)} of={data} test={test} />
            </Section>
            <EndUserProfileSection endUserRef={endUserRef} test={test} />
            <Section title="Erasure">
              <p className="max-w-[72ch] text-muted">
                Permanently deletes the content of this end user's turns: texts, results, files, conversations and
                steps, and the profile. Billed amounts stay, without any text.
              </p>
              <div>
                <Button does="eraseEndUser" kind="danger" onClick={() => setOpen("erase")}>
                  Erase data
                </Button>
              </div>
            </Section>
            <Suspense>
              {open === "block" && <BlockDialog endUser={data} test={test} onClose={close} />}
              {open === "export" && <ExportDialog endUserRef={endUserRef} input={input} onClose={close} />}
              {open === "erase" && <EraseDialog endUser={data} test={test} onClose={close} />}
            </Suspense>
          </>
        )}
      </Read>
    </Page>
  )
}

interface PartProps {
  of: EndUser
  test: true | undefined
}

const EndUserFacts = ({ of: endUser, test }: PartProps) => (
  <>
    <div className="flex flex-wrap items-center gap-x-6 gap-y-1 text-muted">
      {endUser.limits.blocked ? <Status word="blocked" tone="bad" /> : <Status word="active" />}
      <span className="inline-flex min-w-0 items-center gap-1">
        <code className="break-all">{endUser.end_user_ref}</code>
        <CopyButton text={endUser.end_user_ref} what="the end_user_ref" small />
      </span>
      <span>
        First turn <Time at={endUser.first_turn_at} />
      </span>
      <span>
        Last turn <Time at={endUser.last_turn_at} />
      </span>
      <TextLink to="/turns" search={{ test, end_user_ref: endUser.end_user_ref } as never}>
        View turns
      </TextLink>
    </div>
    <Stats>
      <Stat label="Today" hint="UTC">
        <MoneyFigure usd={endUser.billed_today_usd} />
      </Stat>
      <Stat label="This month" hint="UTC">
        <MoneyFigure usd={endUser.billed_this_month_usd} />
      </Stat>
      <Stat
        label="All time"
        hint={
          endUser.refunded_usd > 0 && (
            <>
              <Money usd={endUser.refunded_usd} /> refunded
            </>
          )
        }
      >
        <MoneyFigure usd={endUser.billed_usd} />
      </Stat>
      <Stat label="Turns">
        <Count value={endUser.turns} />
      </Stat>
    </Stats>
  </>
)

const SOURCES: Record<EndUser["caps"][number]["source"], string> = {
  end_user: "this end user",
  key: "the key's default",
  account: "the account's default",
  plan: "the plan",
  space: "the space",
  default: "the service's default",
}

const CAP_COLUMNS: Column<EndUser["caps"][number]>[] = [
  { title: "Cap", cell: ({ cap }) => wordsOf(cap) },
  { title: "Source", cell: ({ source }) => SOURCES[source] },
  { title: "Limit", right: true, cell: ({ limit_usd }) => <Money usd={limit_usd} /> },
  { title: "Spent", right: true, cell: ({ spent_usd }) => <Money usd={spent_usd} /> },
  { title: "Held", right: true, cell: ({ reserved_usd }) => <Money usd={reserved_usd} /> },
  { title: "Remaining", right: true, cell: ({ left_usd }) => <Money usd={left_usd} /> },
  { title: "Resets", right: true, cell: ({ resets_at }) => <Time at={resets_at} /> },
]

function OwnCaps({ of: { end_user_ref, limits }, test }: PartProps) {
  const draft = useDraft(`end-user.${test ? "test" : "live"}.${end_user_ref}`)
  const put = useChange("putEndUserLimits", { changes: ["getEndUser", "listEndUsers"], draft })
  return (
    <EndUserLimitsForm
      draft={draft}
      limits={limits}
      verb="Save the caps"
      busy={put.isPending}
      error={put.error}
      onSave={(changed) =>
        put.mutate(
          {
            path: { end_user_ref },
            query: { test: test && "true" },
            body: { ...changed, blocked: limits.blocked },
          },
          { onSuccess: () => toast("The caps are saved.") },
        )
      }
    />
  )
}

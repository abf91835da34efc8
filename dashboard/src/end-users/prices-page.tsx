import { useSearch } from "@tanstack/react-router"
import { Suspense, useState } from "react"
import type { EndUserDefault, Price } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { wholeCurl } from "../ui/commands.ts"
import { EmptyState } from "../ui/empty-state.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { Page, Section } from "../ui/page.tsx"
import { plainNumber } from "../ui/plain.ts"
import { Read } from "../ui/read.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { Id, Money, Time } from "../ui/values.tsx"
import { endUsersPages } from "./pages.ts"

const PriceDialog = lazyPart(() => import("./price-dialogs.tsx").then((module) => ({ default: module.PriceDialog })))
const DeleteDialog = lazyPart(() =>
  import("./price-dialogs.tsx").then((module) => ({ default: module.DeletePriceDialog })),
)
const DefaultDialog = lazyPart(() =>
  import("./price-dialogs.tsx").then((module) => ({ default: module.DefaultPriceDialog })),
)

type Open = { edit: Price | null } | { delete: Price } | "default" | null

/** The prices that the account charges its end users, and their defaults. */
export function PricesPage() {
  const { test } = useSearch({ from: "/app/prices" })
  const query = { test: test && ("true" as const) }
  const prices = useRead("listPrices", { query })
  const defaults = useRead("listEndUserDefaults", { query })
  const [open, setOpen] = useState<Open>(null)
  const close = () => setOpen(null)
  const [account] = defaults.data?.items ?? []
  return (
    <Page
      {...endUsersPages.prices}
      action={
        <Button kind="primary" icon="plus" onClick={() => setOpen({ edit: null })}>
          Set a price
        </Button>
      }
    >
      <Read of={prices} rows={4}>
        {({ items }) => (
          <Table
            caption="Prices"
            rows={items}
            rowKey={({ name }) => name}
            columns={priceColumns(setOpen)}
            empty={<NoPrices />}
          />
        )}
      </Read>
      <Section title="Defaults">
        <p className="max-w-[72ch] text-muted">
          They apply to end users without a price or a payment of their own. The default of a key comes before that of
          the account.
        </p>
        <Read of={defaults} rows={2}>
          {({ items }) => (
            <Table
              caption="Defaults of end users"
              rows={items}
              rowKey={({ key_id }) => key_id ?? "account"}
              columns={DEFAULT_COLUMNS}
            />
          )}
        </Read>
        <div>
          <Button onClick={() => setOpen("default")}>Change the account's default</Button>
        </div>
      </Section>
      <Suspense>
        {open === "default" && account && (
          <DefaultDialog account={account} prices={prices.data?.items ?? []} onClose={close} />
        )}
        {open && open !== "default" && "edit" in open && <PriceDialog price={open.edit} test={test} onClose={close} />}
        {open && open !== "default" && "delete" in open && (
          <DeleteDialog price={open.delete} test={test} onClose={close} />
        )}
      </Suspense>
    </Page>
  )
}

const usesOf = ({ used_by: { end_users, keys, account } }: Price) =>
  [account && "the account", keys > 0 && `${keys} keys`, end_users > 0 && `${end_users} end users`]
    .filter(Boolean)
    .join(", ") || "nothing"

const priceColumns = (setOpen: (open: Open) => void): Column<Price>[] => [
  { title: "Name", cell: ({ name }) => <code>{name}</code> },
  { title: "Multiplier", right: true, cell: ({ multiplier }) => plainNumber(multiplier) },
  { title: "Own models", right: true, cell: ({ per_model }) => Object.keys(per_model).length },
  { title: "Per turn", right: true, cell: ({ per_turn_usd }) => <Money usd={per_turn_usd} /> },
  { title: "Rounding", cell: ({ rounding }) => `${rounding.mode} to ${plainNumber(rounding.to_usd)} USD` },
  { title: "Version", right: true, cell: ({ version }) => version },
  { title: "Used by", cell: usesOf },
  { title: "Since", right: true, cell: ({ created_at }) => <Time at={created_at} /> },
  {
    title: "Actions",
    cell: (price) => (
      <span className="inline-flex gap-2">
        <Button onClick={() => setOpen({ edit: price })}>Change {price.name}</Button>
        <Button kind="danger" onClick={() => setOpen({ delete: price })}>
          Delete {price.name}
        </Button>
      </span>
    ),
  },
]

const DEFAULT_COLUMNS: Column<EndUserDefault>[] = [
  { title: "For", cell: ({ key_id, name }) => (key_id ? <Id id={key_id} /> : (name ?? "the account")) },
  { title: "Price", cell: ({ price }) => price ?? "as billed" },
  { title: "Payment", cell: ({ prepaid }) => (prepaid === null ? "not set" : prepaid ? "prepaid" : "not prepaid") },
]

const NoPrices = () => (
  <EmptyState
    title="No prices yet"
    curl={wholeCurl("/v1/prices/standard", { method: "PUT", body: { multiplier: 1.5, per_turn_usd: 0.01 } })}
  >
    A price is what you charge your end users for a turn: a multiple of its bill, and an amount per turn.
  </EmptyState>
)

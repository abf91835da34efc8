import { useSearch } from "@tanstack/react-router"
import { Suspense, useState } from "react"
import type { EndUserDefault, Price } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { wholeCurl } from "../ui/commands.ts"
import { EmptyState } from "../ui/empty-state.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { TextLink } from "../ui/link.tsx"
import { Menu } from "../ui/menu.tsx"
import { counted } from "../ui/numbers.ts"
import { Page, Section } from "../ui/page.tsx"
import { plainNumber } from "../ui/plain.ts"
import { Read } from "../ui/read.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { Money, Time } from "../ui/values.tsx"
import { endUsersPages } from "./pages.ts"

const PriceDialog = lazyPart(() => import("./price-dialogs.tsx").then((module) => ({ default: module.PriceDialog })))
const DeleteDialog = lazyPart(() =>
  import("./price-dialogs.tsx").then((module) => ({ default: module.DeletePriceDialog })),
)
const CancelDialog = lazyPart(() =>
  import("./price-dialogs.tsx").then((module) => ({ default: module.CancelPriceDialog })),
)
const DefaultDialog = lazyPart(() =>
  import("./default-dialog.tsx").then((module) => ({ default: module.DefaultDialog })),
)

/** `default`: the default to change; undefined: one of a key that has none yet. */
type Open =
  | { edit: Price | null }
  | { delete: Price }
  | { cancel: Price }
  | { default: EndUserDefault | undefined }
  | null

/** The prices that the account charges its end users, and their defaults. */
export function PricesPage() {
  const { test } = useSearch({ from: "/app/prices" })
  const query = { test: test && ("true" as const) }
  const prices = useRead("listPrices", { query })
  const defaults = useRead("listEndUserDefaults", { query })
  const [open, setOpen] = useState<Open>(null)
  const close = () => setOpen(null)
  return (
    <Page
      {...endUsersPages.prices}
      action={
        <Button does="putPrice" kind="primary" icon="plus" onClick={() => setOpen({ edit: null })}>
          Set a price
        </Button>
      }
    >
      <Read of={prices} rows={4}>
        {({ items }) => (
          <Table
            caption="Prices"
            list="prices"
            rows={items}
            rowKey={({ name }) => name}
            columns={priceColumns(setOpen)}
            empty={<NoPrices />}
          />
        )}
      </Read>
      <Section
        title="Defaults"
        action={
          <Button does="putEndUserDefaults" onClick={() => setOpen({ default: undefined })}>
            Set a key's default
          </Button>
        }
      >
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
              columns={defaultColumns(setOpen)}
            />
          )}
        </Read>
      </Section>
      <Suspense>
        {open && "default" in open && (
          <DefaultDialog of={open.default} prices={prices.data?.items ?? []} test={test} onClose={close} />
        )}
        {open && "edit" in open && <PriceDialog price={open.edit} test={test} onClose={close} />}
        {open && "cancel" in open && <CancelDialog price={open.cancel} test={test} onClose={close} />}
        {open && "delete" in open && <DeleteDialog price={open.delete} test={test} onClose={close} />}
      </Suspense>
    </Page>
  )
}

const usesOf = ({ used_by: { end_users, keys, account } }: Price) =>
  [account && "the account", keys > 0 && counted(keys, "key"), end_users > 0 && counted(end_users, "end user")]
    .filter(Boolean)
    .join(", ") || "nothing"

/** The smallest and the greatest multiplier, if models have multipliers of their own. */
function multipliersOf({ multiplier, per_model }: Pick<Price, "multiplier" | "per_model">) {
  const all = [multiplier, ...Object.values(per_model)]
  return [...new Set([Math.min(...all), Math.max(...all)])].map(plainNumber).join(" to ")
}

const priceColumns = (setOpen: (open: Open) => void): Column<Price>[] => [
  { title: "Name", cell: ({ name }) => <code>{name}</code> },
  { title: "Multiplier", cell: multipliersOf },
  { title: "Per turn", right: true, cell: ({ per_turn_usd }) => <Money usd={per_turn_usd} /> },
  { title: "Used by", cell: usesOf },
  { title: "Rounding", cell: ({ rounding }) => `${rounding.mode} to ${plainNumber(rounding.to_usd)} USD` },
  { title: "Version", right: true, cell: ({ version }) => version },
  { title: "Since", right: true, cell: ({ created_at, begins_at }) => <Time at={begins_at ?? created_at} /> },
  {
    title: "Planned",
    cell: ({ planned }) =>
      planned && (
        <>
          {multipliersOf(planned)}, {plainNumber(planned.per_turn_usd)} USD per turn, from{" "}
          <Time at={planned.begins_at} exact />
        </>
      ),
  },
  {
    title: "Actions",
    actions: true,
    cell: (price) => (
      <Menu
        label={`Actions of the price ${price.name}`}
        items={[
          { label: "Change", does: "putPrice", onSelect: () => setOpen({ edit: price }) },
          ...(price.planned
            ? [
                {
                  label: "Cancel planned price",
                  does: "putPrice" as const,
                  onSelect: () => setOpen({ cancel: price }),
                },
              ]
            : []),
          { label: "Delete", does: "deletePrice", danger: true, onSelect: () => setOpen({ delete: price }) },
        ]}
      />
    ),
  },
]

const nameOf = ({ key_id, name }: EndUserDefault) => (key_id ? `the key ${name}` : "the account")

const defaultColumns = (setOpen: (open: Open) => void): Column<EndUserDefault>[] => [
  {
    title: "For",
    cell: ({ key_id, name }) =>
      key_id ? (
        <TextLink to="/keys/$keyId" params={{ keyId: key_id }}>
          {name}
        </TextLink>
      ) : (
        "the account"
      ),
  },
  { title: "Price", cell: ({ key_id, price }) => price ?? (key_id ? "not set" : "as billed") },
  { title: "Payment", cell: ({ prepaid }) => (prepaid === null ? "not set" : prepaid ? "prepaid" : "not prepaid") },
  {
    title: "Actions",
    actions: true,
    cell: (one) => (
      <Button
        does="putEndUserDefaults"
        aria-label={`Change the default of ${nameOf(one)}`}
        onClick={() => setOpen({ default: one })}
      >
        Change
      </Button>
    ),
  },
]

const NoPrices = () => (
  <EmptyState
    title="No prices yet"
    curl={wholeCurl("/v1/prices/standard", { method: "PUT", body: { multiplier: 1.5, per_turn_usd: 0.01 } })}
  >
    A price is what you charge your end users for a turn: a multiple of its bill, and an amount per turn.
  </EmptyState>
)

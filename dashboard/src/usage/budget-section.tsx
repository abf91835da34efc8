import { useState } from "react"
import type { Budget } from "../api/operations.ts"
import { useChange, useRead } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { ConfirmDialog } from "../ui/dialog.tsx"
import { Stat, Stats } from "../ui/facts.tsx"
import { aboutUsd } from "../ui/forecast-stat.tsx"
import { TextLink } from "../ui/link.tsx"
import { Section } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { toast } from "../ui/toast.tsx"
import { Money, MoneyFigure, Time } from "../ui/values.tsx"
import { BudgetDialog } from "./budget-dialog.tsx"

/** The budget of the account for each month, next to the forecast. */
export function BudgetSection() {
  const budget = useRead("getBudget")
  const [asking, setAsking] = useState<"set" | "delete">()
  const close = () => setAsking(undefined)
  const has = budget.data && budget.data.amount_usd !== null
  return (
    <Section
      title="Budget"
      action={
        <span className="flex gap-2">
          {has && (
            <Button does="deleteBudget" onClick={() => setAsking("delete")}>
              Delete the budget
            </Button>
          )}
          {budget.data && (
            <Button does="putBudget" onClick={() => setAsking("set")}>
              {has ? "Change the budget" : "Set a budget"}
            </Button>
          )}
        </span>
      }
    >
      <Read of={budget} rows={2}>
        {(data) => (
          <>
            {data.amount_usd === null ? (
              <p className="text-muted">
                A budget tells you when a part of it is spent in a month, or when the forecast exceeds it.
              </p>
            ) : (
              <Standing budget={data} amount={data.amount_usd} />
            )}
            {asking === "set" && <BudgetDialog budget={data} onClose={close} />}
          </>
        )}
      </Read>
      <DeleteDialog open={asking === "delete"} onClose={close} />
    </Section>
  )
}

function Standing({ budget, amount }: { budget: Budget; amount: number }) {
  const { spent_usd, expected_usd, told } = budget
  const share = (usd: number) => `${Math.round((usd / amount) * 100)} %`
  return (
    <>
      <Stats>
        <Stat label="Budget per month" hint="UTC; it refuses no turns">
          <MoneyFigure usd={amount} />
        </Stat>
        <Stat label="Spent of it" hint={<Money usd={spent_usd} />}>
          {share(spent_usd)}
        </Stat>
        {expected_usd !== null && (
          <Stat label="Expected by the end" hint={aboutUsd(expected_usd)}>
            <span className={expected_usd > amount ? "text-warn" : ""}>{share(expected_usd)}</span>
          </Stat>
        )}
      </Stats>
      <p className="text-muted">
        You are told at: {partsOf(budget)}, by webhook and email.{" "}
        {told.map(({ percent, at }) => (
          <span key={at + percent}>
            {percent === null ? "Forecast above it" : `${percent} %`} told <Time at={at} />.{" "}
          </span>
        ))}
        <TextLink to="/account" search={{ tab: "alerts", type: "budget.reached" }}>
          Alerts
        </TextLink>
      </p>
    </>
  )
}

function partsOf({ percents, forecast }: Budget): string {
  const parts = percents.map((percent) => `${percent} %`)
  return [...parts, ...(forecast ? ["a forecast above it"] : [])].join(", ") || "no part of it"
}

function DeleteDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const remove = useChange("deleteBudget", { changes: ["getBudget", "listActivity"] })
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      title="Delete the budget?"
      about="You are told nothing more about the spend of a month. Caps stay as they are."
      verb="Delete the budget"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() =>
        remove.mutate(undefined, {
          onSuccess: () => {
            toast("The budget is deleted.")
            onClose()
          },
        })
      }
    />
  )
}

import type { PageInfo } from "../ui/page-info.ts"

export const usagePages = {
  usage: {
    path: "/usage",
    title: "Usage",
    about: "Turns, tokens and cost over time.",
    nav: "Money",
  },
  energy: {
    path: "/usage/energy",
    title: "Energy",
    about: "The spend of the account by day, in energy.",
    nav: "Money",
  },
  balance: {
    path: "/balance",
    title: "Balance",
    about: "Credit, held amounts and the ledger.",
    nav: "Money",
  },
  statements: {
    path: "/statements",
    title: "Statements",
    about: "Signed sums of each month, and the export to your own meter.",
    nav: "Money",
  },
  statement: {
    path: "/statements/$month",
    title: "Statement",
    about: "The charges and refunds of one month (UTC).",
    samples: { month: { list: "/api/account/usage/statements", field: "month" } },
  },
} as const satisfies Record<string, PageInfo>

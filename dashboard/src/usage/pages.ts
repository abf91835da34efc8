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
} as const satisfies Record<string, PageInfo>

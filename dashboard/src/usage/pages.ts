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
    about: "What the account spends, in energy by day.",
    nav: "Money",
  },
  balance: {
    path: "/balance",
    title: "Balance",
    about: "Credit, what is set aside, and every booking.",
    nav: "Money",
  },
} as const satisfies Record<string, PageInfo>

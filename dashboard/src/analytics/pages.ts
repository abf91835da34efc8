import type { PageInfo } from "../ui/page-info.ts"

export const analyticsPages = {
  usage: {
    path: "/operator/analytics",
    title: "Usage",
    about: "Turns, tokens and cost by day.",
    nav: "Analytics",
  },
  breakdown: {
    path: "/operator/analytics/breakdown",
    title: "Breakdown",
    about: "Use by one dimension.",
    nav: "Analytics",
  },
  costs: {
    path: "/operator/analytics/costs",
    title: "Costs",
    about: "Cost, bill and margin by day, model and user.",
    nav: "Analytics",
  },
  rates: {
    path: "/operator/analytics/rates",
    title: "Cost rates",
    about: "Cost of a million tokens, and of a turn.",
    nav: "Analytics",
  },
  energy: {
    path: "/operator/analytics/energy",
    title: "Energy",
    about: "Bookings of energy over time.",
    nav: "Analytics",
  },
  balances: {
    path: "/operator/analytics/balances",
    title: "Balances",
    about: "Balances of active users over time.",
    nav: "Analytics",
  },
  topUsers: {
    path: "/operator/analytics/top-users",
    title: "Top users",
    about: "Who uses most.",
    nav: "Analytics",
  },
  topSpaces: {
    path: "/operator/analytics/top-spaces",
    title: "Top spaces",
    about: "Which spaces use most.",
    nav: "Analytics",
  },
  subscriptions: {
    path: "/operator/analytics/subscription-spaces",
    title: "Provider accounts",
    about: "Use of spaces by account at a provider.",
    nav: "Analytics",
  },
  hourly: {
    path: "/operator/analytics/hourly",
    title: "Hours",
    about: "Use by hour, and by space in a range of hours.",
    nav: "Analytics",
  },
  errors: {
    path: "/operator/analytics/errors",
    title: "Errors",
    about: "What failed, and where.",
    nav: "Analytics",
  },
  context: {
    path: "/operator/analytics/context",
    title: "Context",
    about: "How large contexts are, and what caching saves.",
    nav: "Analytics",
  },
} as const satisfies Record<string, PageInfo>

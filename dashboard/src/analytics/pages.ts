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
    about: "Usage by space, user, model or provider.",
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
    about: "Cost per million tokens and per turn.",
    nav: "Analytics",
  },
  energy: {
    path: "/operator/analytics/energy",
    title: "Energy",
    about: "Energy credited and spent over time.",
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
    about: "Users with the highest usage.",
    nav: "Analytics",
  },
  topSpaces: {
    path: "/operator/analytics/top-spaces",
    title: "Top spaces",
    about: "Spaces with the highest usage.",
    nav: "Analytics",
  },
  subscriptions: {
    path: "/operator/analytics/subscription-spaces",
    title: "Provider accounts",
    about: "Usage by provider account and space.",
    nav: "Analytics",
  },
  hourly: {
    path: "/operator/analytics/hourly",
    title: "Hours",
    about: "Usage by hour, in total and by space.",
    nav: "Analytics",
  },
  errors: {
    path: "/operator/analytics/errors",
    title: "Errors",
    about: "Failures of containers, delegations and model calls.",
    nav: "Analytics",
  },
  context: {
    path: "/operator/analytics/context",
    title: "Context",
    about: "Context sizes and cache hit rates.",
    nav: "Analytics",
  },
} as const satisfies Record<string, PageInfo>

import type { PageInfo } from "../ui/page-info.ts"

export const analyticsPages = {
  usage: {
    path: "/operator/analytics",
    title: "Usage",
    about: "Turns, tokens and cost by day.",
    nav: "Usage reports",
  },
  breakdown: {
    path: "/operator/analytics/breakdown",
    title: "Breakdown",
    about: "Usage by space, user, model or provider.",
    nav: "Usage reports",
  },
  costs: {
    path: "/operator/analytics/costs",
    title: "Costs",
    about: "Cost, bill and margin by day, model and user.",
    nav: "Cost reports",
    tabs: ["days", "models", "users"],
  },
  rates: {
    path: "/operator/analytics/rates",
    title: "Cost rates",
    about: "Cost per million tokens and per turn.",
    nav: "Cost reports",
  },
  energy: {
    path: "/operator/analytics/energy",
    title: "Energy",
    about: "Energy credited and spent over time.",
    nav: "Cost reports",
  },
  balances: {
    path: "/operator/analytics/balances",
    title: "Balances",
    about: "Balances of active users over time.",
    nav: "Cost reports",
  },
  topUsers: {
    path: "/operator/analytics/top-users",
    title: "Top users",
    about: "Users with the highest usage.",
    nav: "Usage reports",
  },
  topSpaces: {
    path: "/operator/analytics/top-spaces",
    title: "Top spaces",
    about: "Spaces with the highest usage.",
    nav: "Usage reports",
  },
  subscriptions: {
    path: "/operator/analytics/subscription-spaces",
    title: "Provider accounts",
    about: "Usage by provider account and space.",
    nav: "Cost reports",
  },
  hourly: {
    path: "/operator/analytics/hourly",
    title: "Hours",
    about: "Usage by hour, in total and by space.",
    nav: "Usage reports",
    tabs: ["all", "spaces"],
  },
  errors: {
    path: "/operator/analytics/errors",
    title: "Errors",
    about: "Failures of containers, delegations and model calls.",
    nav: "Quality reports",
  },
  context: {
    path: "/operator/analytics/context",
    title: "Context",
    about: "Context sizes and cache hit rates.",
    nav: "Quality reports",
    tabs: ["roles", "spaces"],
  },
} as const satisfies Record<string, PageInfo>

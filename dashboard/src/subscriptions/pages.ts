import type { PageInfo } from "../ui/page-info.ts"

export const subscriptionsPages = {
  subscriptions: {
    path: "/operator/subscriptions",
    title: "Subscriptions",
    about: "Plans of users, and the usage that each plan and provider account covers.",
    nav: "Accounts",
  },
} as const satisfies Record<string, PageInfo>

import type { PageInfo } from "../ui/page-info.ts"

export const subscriptionsPages = {
  subscriptions: {
    path: "/operator/subscriptions",
    title: "Subscriptions",
    about: "Plans of users over a time, and their use.",
    nav: "Operate",
  },
} as const satisfies Record<string, PageInfo>

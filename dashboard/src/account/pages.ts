import type { PageInfo } from "../ui/page-info.ts"

export const accountPages = {
  account: {
    path: "/account",
    title: "Account",
    about: "Sessions, identities, password, billing details, limits, alerts and traces.",
    nav: "Account",
    tabs: ["sign-in", "sessions", "billing", "limits", "alerts", "traces"],
  },
  activity: {
    path: "/activity",
    title: "Activity",
    about:
      "The changes of this account with their makers: keys, limits, prices, wallets, webhooks, spaces and sign-ins.",
    nav: "Account",
  },
} as const satisfies Record<string, PageInfo>

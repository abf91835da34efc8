import type { PageInfo } from "../ui/page-info.ts"

export const accountPages = {
  account: {
    path: "/account",
    title: "Account",
    about: "Sessions, identities, password, limits, alerts and traces.",
    nav: "Integrations",
    tabs: ["sign-in", "sessions", "limits", "alerts", "traces"],
  },
  activity: {
    path: "/activity",
    title: "Activity",
    about:
      "The changes of this account with their makers: keys, limits, prices, wallets, webhooks, spaces and sign-ins.",
    nav: "Integrations",
  },
} as const satisfies Record<string, PageInfo>

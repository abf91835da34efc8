import type { PageInfo } from "../ui/page-info.ts"

export const accountPages = {
  account: {
    path: "/account",
    title: "Account",
    about: "Sessions, identities, password, limits, alerts and traces.",
    nav: "Integrations",
    tabs: ["sign-in", "sessions", "limits", "alerts", "traces"],
  },
} as const satisfies Record<string, PageInfo>

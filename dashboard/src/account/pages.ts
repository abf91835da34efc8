import type { PageInfo } from "../ui/page-info.ts"
import { ACCOUNT_TABS } from "./words.ts"

export const accountPages = {
  account: {
    path: "/account",
    title: "Account",
    about: "Sessions, identities, password, limits, alerts and traces.",
    nav: "Integrations",
    tabs: ACCOUNT_TABS,
  },
} as const satisfies Record<string, PageInfo>

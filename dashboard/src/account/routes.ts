import { createRoute } from "@tanstack/react-router"
import { appRoute } from "../shell/app-route.tsx"
import { lazyPage } from "../shell/lazy-page.ts"
import { countIn, instantIn, oneIn, type RawSearch, textIn } from "../shell/search.ts"
import { accountPages as pages } from "./pages.ts"
import { ACCOUNT_TABS, type AccountTab, ALERT_TYPES, type AlertType } from "./words.ts"

interface AccountSearch {
  tab?: AccountTab
  offset?: number
  type?: AlertType
  created_after?: string
  created_before?: string
  cursor?: string
}

export const accountRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.account.path,
    validateSearch: (search: RawSearch): AccountSearch => ({
      tab: oneIn(search.tab, ACCOUNT_TABS),
      offset: countIn(search.offset),
      type: oneIn(search.type, ALERT_TYPES),
      created_after: instantIn(search.created_after),
      created_before: instantIn(search.created_before),
      cursor: textIn(search.cursor),
    }),
    component: lazyPage(() => import("./account-page.tsx"), "AccountPage"),
  }),
] as const

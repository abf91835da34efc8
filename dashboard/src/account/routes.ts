import { createRoute } from "@tanstack/react-router"
import type { ActivityEntry } from "../api/operations.ts"
import { ActivityEntryRules } from "../api/rules.ts"
import { appRoute } from "../shell/app-route.tsx"
import { lazyPage } from "../shell/lazy-page.ts"
import { countIn, createdRangeIn, oneIn, type RawSearch, textIn } from "../shell/search.ts"
import type { CreatedSearch } from "../ui/time-range.ts"
import { accountPages as pages } from "./pages.ts"
import { ACCOUNT_TABS, type AccountTab, ALERT_TYPES, type AlertType } from "./words.ts"

interface AccountSearch extends CreatedSearch {
  tab?: AccountTab
  offset?: number
  type?: AlertType
  cursor?: string
}

interface ActivitySearch extends CreatedSearch {
  action?: string
  subject_type?: string
  subject_id?: string
  by?: ActivityEntry["by"]
  member?: number
  entry?: number
  offset?: number
}

export const accountRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.account.path,
    validateSearch: (search: RawSearch): AccountSearch => ({
      tab: oneIn(search.tab, ACCOUNT_TABS),
      offset: countIn(search.offset),
      type: oneIn(search.type, ALERT_TYPES),
      ...createdRangeIn(search),
      cursor: textIn(search.cursor),
    }),
    component: lazyPage(() => import("./account-page.tsx"), "AccountPage"),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.activity.path,
    validateSearch: (search: RawSearch): ActivitySearch => ({
      action: textIn(search.action),
      subject_type: textIn(search.subject_type),
      subject_id: textIn(search.subject_id),
      by: oneIn(search.by, ActivityEntryRules.by.words),
      member: countIn(search.member),
      ...createdRangeIn(search),
      entry: countIn(search.entry),
      offset: countIn(search.offset),
    }),
    component: lazyPage(() => import("./activity-page.tsx"), "ActivityPage"),
  }),
] as const

import { createRoute } from "@tanstack/react-router"
import type { User } from "../api/operations.ts"
import { getEndUsersReportQuery, getUserEnergyQuery, listUsersQuery, UserRules } from "../api/rules.ts"
import type { QueryWord } from "../api/words.ts"
import { type RangeSearch, rangeIn } from "../operator/report-range.tsx"
import { adminRoute } from "../shell/app-route.tsx"
import { lazyPage } from "../shell/lazy-page.ts"
import { countIn, createdRangeIn, oneIn, type RawSearch, textIn } from "../shell/search.ts"
import type { CreatedSearch } from "../ui/time-range.ts"
import { usersPages as pages } from "./pages.ts"

export const usersRoutes = [
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.users.path,
    validateSearch: (
      search: RawSearch,
    ): CreatedSearch & {
      q?: string
      role?: User["role"]
      disabled?: "true" | "false"
      brand?: string
      plan?: string
      sort?: QueryWord<"listUsers", "sort">
      direction?: QueryWord<"listUsers", "direction">
      offset?: number
    } => ({
      q: textIn(search.q),
      role: oneIn(search.role, UserRules.role.words),
      disabled: oneIn(search.disabled, ["true", "false"]),
      brand: textIn(search.brand),
      plan: textIn(search.plan),
      ...createdRangeIn(search),
      sort: oneIn(search.sort, listUsersQuery.sort.words),
      direction: oneIn(search.direction, listUsersQuery.direction.words),
      offset: countIn(search.offset),
    }),
    component: lazyPage(() => import("./users-page.tsx"), "UsersPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.user.path,
    validateSearch: (
      search: RawSearch,
    ): RangeSearch & {
      tab?: (typeof pages.user.tabs)[number]
      sort?: QueryWord<"getEndUsersReport", "sort">
      direction?: QueryWord<"getEndUsersReport", "direction">
      entry?: number
      reason?: QueryWord<"getUserEnergy", "reason">
      bucket?: QueryWord<"getUserEnergy", "bucket">
      offset?: number
    } => ({
      ...rangeIn(search),
      tab: oneIn(search.tab, pages.user.tabs),
      sort: oneIn(search.sort, getEndUsersReportQuery.sort.words),
      direction: oneIn(search.direction, getEndUsersReportQuery.direction.words),
      entry: countIn(search.entry),
      reason: oneIn(search.reason, getUserEnergyQuery.reason.words),
      bucket: oneIn(search.bucket, getUserEnergyQuery.bucket.words),
      offset: countIn(search.offset),
    }),
    component: lazyPage(() => import("./user-page.tsx"), "UserPage"),
  }),
] as const

import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { adminRoute } from "../shell/app-route.tsx"
import { countIn, oneIn, type RawSearch, textIn } from "../shell/search.ts"
import { usersPages as pages } from "./pages.ts"
import { ROLES, type Role, USER_TABS, type UserTab } from "./words.ts"

export const usersRoutes = [
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.users.path,
    validateSearch: (search: RawSearch): { q?: string; role?: Role; offset?: number } => ({
      q: textIn(search.q),
      role: oneIn(search.role, ROLES),
      offset: countIn(search.offset),
    }),
    component: lazyRouteComponent(() => import("./users-page.tsx"), "OperatorUsersPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.user.path,
    validateSearch: (search: RawSearch): { tab?: UserTab; days?: number; entry?: number; offset?: number } => ({
      tab: oneIn(search.tab, USER_TABS),
      entry: countIn(search.entry),
      days: countIn(search.days),
      offset: countIn(search.offset),
    }),
    component: lazyRouteComponent(() => import("./user-page.tsx"), "OperatorUserPage"),
  }),
] as const

import { createRoute } from "@tanstack/react-router"
import { getCapacityQuery } from "../api/rules.ts"
import type { QueryWord } from "../api/words.ts"
import { adminRoute } from "../shell/app-route.tsx"
import { lazyPage } from "../shell/lazy-page.ts"
import { countIn, oneIn, type RawSearch, textIn } from "../shell/search.ts"
import { providersPages as pages } from "./pages.ts"

export const providersRoutes = [
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.pools.path,
    component: lazyPage(() => import("./pools-page.tsx"), "ProviderPoolsPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.capacity.path,
    validateSearch: (search: RawSearch): { hours?: number; pool?: QueryWord<"getCapacity", "provider"> } => ({
      hours: countIn(search.hours) || undefined,
      pool: oneIn(search.pool, getCapacityQuery.provider.words),
    }),
    component: lazyPage(() => import("./capacity-page.tsx"), "ProviderCapacityPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.books.path,
    validateSearch: (search: RawSearch): { days?: number; account?: string } => ({
      days: countIn(search.days) || undefined,
      account: textIn(search.account),
    }),
    component: lazyPage(() => import("./books-page.tsx"), "ProviderBooksPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.book.path,
    component: lazyPage(() => import("./book-page.tsx"), "ProviderBookPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.signIn.path,
    validateSearch: (search: RawSearch): { tab?: string } => ({ tab: textIn(search.tab) }),
    component: lazyPage(() => import("./sign-in-page.tsx"), "ProviderSignInPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.media.path,
    component: lazyPage(() => import("./media-page.tsx"), "ProviderMediaPage"),
  }),
] as const

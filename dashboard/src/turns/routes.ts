import { createRoute } from "@tanstack/react-router"
import type { Waiting } from "../api/operations.ts"
import { listWaitingTurnsQuery } from "../api/rules.ts"
import { adminRoute, appRoute } from "../shell/app-route.tsx"
import { lazyPage } from "../shell/lazy-page.ts"
import { countIn, oneIn, type RawSearch, textIn } from "../shell/search.ts"
import { allTurnsPages, turnsPages as pages } from "./pages.ts"
import { readAllTurnsSearch, readExplorerSearch } from "./turn-search.ts"
import { TURN_TABS, type TurnTab } from "./turn-words.ts"

export const turnsRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.list.path,
    validateSearch: readExplorerSearch,
    component: lazyPage(() => import("./turns-page.tsx"), "TurnsPage"),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.waiting.path,
    validateSearch: (
      search: RawSearch,
    ): { waiting?: Waiting["for"]; space?: string; turn?: string; offset?: number } => ({
      waiting: oneIn(search.waiting, listWaitingTurnsQuery.waiting.words),
      space: textIn(search.space),
      turn: textIn(search.turn),
      offset: countIn(search.offset),
    }),
    component: lazyPage(() => import("./waiting-page.tsx"), "WaitingPage"),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.detail.path,
    validateSearch: (search: RawSearch): { tab?: TurnTab } => ({ tab: oneIn(search.tab, TURN_TABS) }),
    component: lazyPage(() => import("./turn-page.tsx"), "TurnPage"),
  }),
] as const

/** The pages of operators. */
export const allTurnsRoutes = [
  createRoute({
    getParentRoute: () => adminRoute,
    path: allTurnsPages.list.path,
    validateSearch: readAllTurnsSearch,
    component: lazyPage(() => import("./all-turns-page.tsx"), "AllTurnsPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: allTurnsPages.detail.path,
    validateSearch: (search: RawSearch): { reason?: string } => ({ reason: textIn(search.reason) }),
    component: lazyPage(() => import("./any-turn-page.tsx"), "AnyTurnPage"),
  }),
] as const

import { createRoute } from "@tanstack/react-router"
import type { Turn } from "../api/operations.ts"
import { TurnRules } from "../api/rules.ts"
import { appRoute } from "../shell/app-route.tsx"
import { lazyPage } from "../shell/lazy-page.ts"
import { countIn, instantIn, oneIn, type RawSearch, textIn } from "../shell/search.ts"
import { turnsPages as pages } from "./pages.ts"
import { TURN_TABS, type TurnTab } from "./turn-words.ts"

interface TurnsSearch {
  state?: Turn["state"]
  space?: string
  conversation?: string
  end_user_ref?: string
  key?: string
  created_after?: string
  created_before?: string
  offset?: number
}

export const turnsRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.list.path,
    validateSearch: (search: RawSearch): TurnsSearch => ({
      state: oneIn(search.state, TurnRules.state.words),
      space: textIn(search.space),
      conversation: textIn(search.conversation),
      end_user_ref: textIn(search.end_user_ref),
      key: textIn(search.key),
      created_after: instantIn(search.created_after),
      created_before: instantIn(search.created_before),
      offset: countIn(search.offset),
    }),
    component: lazyPage(() => import("./turns-page.tsx"), "TurnsPage"),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.detail.path,
    validateSearch: (search: RawSearch): { tab?: TurnTab } => ({ tab: oneIn(search.tab, TURN_TABS) }),
    component: lazyPage(() => import("./turn-page.tsx"), "TurnPage"),
  }),
] as const

import { createRoute } from "@tanstack/react-router"
import { listAllRefundRequestsQuery } from "../api/rules.ts"
import { adminRoute } from "../shell/app-route.tsx"
import { lazyPage } from "../shell/lazy-page.ts"
import { countIn, oneIn, type RawSearch } from "../shell/search.ts"
import { creditPages as pages } from "./pages.ts"

const STATES = listAllRefundRequestsQuery.state.words

interface Search {
  /** Undefined: open requests. */
  state?: (typeof STATES)[number]
  offset?: number
}

export const creditRoutes = [
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.refunds.path,
    validateSearch: (search: RawSearch): Search => ({
      state: oneIn(search.state, STATES),
      offset: countIn(search.offset),
    }),
    component: lazyPage(() => import("./refunds-page.tsx"), "RefundsPage"),
  }),
] as const

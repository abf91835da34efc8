import { createRoute } from "@tanstack/react-router"
import { type ReportedSearch, reportedIn } from "../operator/report-range.tsx"
import { adminRoute } from "../shell/app-route.tsx"
import { lazyPage } from "../shell/lazy-page.ts"
import { countIn, flagIn, type RawSearch, textIn } from "../shell/search.ts"
import { subscriptionsPages as pages } from "./pages.ts"

interface Search extends ReportedSearch {
  state?: "active" | "scheduled" | "ended"
  plan?: string
  several?: true
  offset?: number
}

export const subscriptionsRoutes = [
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.subscriptions.path,
    validateSearch: (search: RawSearch): Search => ({
      ...reportedIn(search),
      state: textIn(search.state) as Search["state"],
      plan: textIn(search.plan),
      several: flagIn(search.several),
      offset: countIn(search.offset),
    }),
    component: lazyPage(() => import("./subscriptions-page.tsx"), "SubscriptionsPage"),
  }),
] as const

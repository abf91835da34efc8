import { createRoute } from "@tanstack/react-router"
import { adminRoute } from "../shell/app-route.tsx"
import { lazyPage } from "../shell/lazy-page.ts"
import { countIn, flagIn, type RawSearch, textIn } from "../shell/search.ts"
import { subscriptionsPages as pages } from "./pages.ts"

interface Search {
  days?: number
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
      days: countIn(search.days),
      state: textIn(search.state) as Search["state"],
      plan: textIn(search.plan),
      several: flagIn(search.several),
      offset: countIn(search.offset),
    }),
    component: lazyPage(() => import("./subscriptions-page.tsx"), "SubscriptionsPage"),
  }),
] as const

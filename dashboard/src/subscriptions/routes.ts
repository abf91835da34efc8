import { createRoute } from "@tanstack/react-router"
import { adminRoute } from "../shell/app-route.tsx"
import { lazyPage } from "../shell/lazy-page.ts"
import { countIn, type RawSearch } from "../shell/search.ts"
import { subscriptionsPages as pages } from "./pages.ts"

export const subscriptionsRoutes = [
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.subscriptions.path,
    validateSearch: (search: RawSearch): { days?: number } => ({ days: countIn(search.days) }),
    component: lazyPage(() => import("./subscriptions-page.tsx"), "OperatorSubscriptionsPage"),
  }),
] as const

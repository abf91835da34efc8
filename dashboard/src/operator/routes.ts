import { createRoute } from "@tanstack/react-router"
import { adminRoute } from "../shell/app-route.tsx"
import { lazyPage } from "../shell/lazy-page.ts"
import { countIn, type RawSearch } from "../shell/search.ts"
import { operatorPages as pages } from "./pages.ts"

export const operatorRoutes = [
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.overview.path,
    validateSearch: (search: RawSearch): { days?: number } => ({ days: countIn(search.days) === 7 ? 7 : undefined }),
    component: lazyPage(() => import("./overview-page.tsx"), "OverviewPage"),
  }),
] as const

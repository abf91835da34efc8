import { createRoute } from "@tanstack/react-router"
import { appRoute } from "../shell/app-route.tsx"
import { lazyPage } from "../shell/lazy-page.ts"
import { oneIn, type RawSearch } from "../shell/search.ts"
import { homePages as pages } from "./pages.ts"

export const homeRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.home.path,
    validateSearch: (search: RawSearch): { tab?: (typeof pages.home.tabs)[number] } => ({
      tab: oneIn(search.tab, pages.home.tabs),
    }),
    component: lazyPage(() => import("./home-page.tsx"), "HomePage"),
  }),
] as const

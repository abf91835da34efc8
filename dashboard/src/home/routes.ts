import { createRoute } from "@tanstack/react-router"
import { appRoute } from "../shell/app-route.tsx"
import { lazyPage } from "../shell/lazy-page.ts"
import { oneIn, type RawSearch } from "../shell/search.ts"
import { homePages as pages } from "./pages.ts"

/** The languages of the code on the page. */
const CODE_TABS = ["curl", "typescript", "python"] as const

export const homeRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.home.path,
    validateSearch: (search: RawSearch): { tab?: (typeof CODE_TABS)[number] } => ({
      tab: oneIn(search.tab, CODE_TABS),
    }),
    component: lazyPage(() => import("./home-page.tsx"), "HomePage"),
  }),
] as const

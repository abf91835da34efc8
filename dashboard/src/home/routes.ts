import { createRoute } from "@tanstack/react-router"
import { appRoute } from "../shell/app-route.tsx"
import { lazyPage } from "../shell/lazy-page.ts"
import { homePages as pages } from "./pages.ts"

export const homeRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.home.path,
    component: lazyPage(() => import("./home-page.tsx"), "HomePage"),
  }),
] as const

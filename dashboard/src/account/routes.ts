import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { appRoute } from "../shell/app-route.tsx"
import { accountPages as pages } from "./pages.ts"

export const accountRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.account.path,
    component: lazyRouteComponent(() => import("./account-page.tsx"), "AccountPage"),
  }),
] as const

import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { appRoute } from "../shell/app-route.tsx"
import { endUsersPages as pages } from "./pages.ts"

export const endUsersRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.list.path,
    component: lazyRouteComponent(() => import("./end-users-page.tsx"), "EndUsersPage"),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.detail.path,
    component: lazyRouteComponent(() => import("./end-user-page.tsx"), "EndUserPage"),
  }),
] as const

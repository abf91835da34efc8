import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { adminRoute } from "../shell/app-route.tsx"
import { catalogPages as pages } from "./pages.ts"

export const catalogRoutes = [
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.catalog.path,
    component: lazyRouteComponent(() => import("./catalog-page.tsx"), "OperatorCatalogPage"),
  }),
] as const

import { createRoute } from "@tanstack/react-router"
import { adminRoute } from "../shell/app-route.tsx"
import { lazyPage } from "../shell/lazy-page.ts"
import { catalogPages as pages } from "./pages.ts"

export const catalogRoutes = [
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.catalog.path,
    component: lazyPage(() => import("./catalog-page.tsx"), "CatalogPage"),
  }),
] as const

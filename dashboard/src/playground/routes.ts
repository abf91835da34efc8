import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { appRoute } from "../shell/app-route.tsx"
import { playgroundPages as pages } from "./pages.ts"

export const playgroundRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.playground.path,
    component: lazyRouteComponent(() => import("./playground-page.tsx"), "PlaygroundPage"),
  }),
] as const

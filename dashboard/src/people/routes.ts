import { createRoute } from "@tanstack/react-router"
import { appRoute } from "../shell/app-route.tsx"
import { lazyPage } from "../shell/lazy-page.ts"
import { peoplePages } from "./pages.ts"

export const peopleRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: peoplePages.people.path,
    component: lazyPage(() => import("./people-page.tsx"), "PeoplePage"),
  }),
] as const

import { createRoute } from "@tanstack/react-router"
import { groupsIn } from "../operator/words.ts"
import { adminRoute } from "../shell/app-route.tsx"
import { lazyPage } from "../shell/lazy-page.ts"
import { workspacesPages as pages } from "./pages.ts"

export const workspacesRoutes = [
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.workspaces.path,
    validateSearch: groupsIn,
    component: lazyPage(() => import("./workspaces-page.tsx"), "WorkspacesPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.workspace.path,
    component: lazyPage(() => import("./workspace-page.tsx"), "WorkspacePage"),
  }),
] as const

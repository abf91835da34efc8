import { createRoute } from "@tanstack/react-router"
import { adminRoute } from "../shell/app-route.tsx"
import { lazyPage } from "../shell/lazy-page.ts"
import { countIn, type RawSearch, textIn } from "../shell/search.ts"
import { settingsPages as pages } from "./pages.ts"

export const settingsRoutes = [
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.containers.path,
    validateSearch: (search: RawSearch): { space?: string; container?: string; offset?: number } => ({
      space: textIn(search.space),
      container: textIn(search.container),
      offset: countIn(search.offset),
    }),
    component: lazyPage(() => import("./containers-page.tsx"), "ContainersPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.keys.path,
    component: lazyPage(() => import("./keys-page.tsx"), "ProviderKeysPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.settings.path,
    component: lazyPage(() => import("./settings-page.tsx"), "SettingsPage"),
  }),
] as const

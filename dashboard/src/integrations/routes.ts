import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { appRoute } from "../shell/app-route.tsx"
import { integrationsPages as pages } from "./pages.ts"

export const integrationsRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.keys.path,
    component: lazyRouteComponent(() => import("./keys-page.tsx"), "KeysPage"),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.key.path,
    component: lazyRouteComponent(() => import("./key-page.tsx"), "KeyPage"),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.webhooks.path,
    component: lazyRouteComponent(() => import("./webhooks-page.tsx"), "WebhooksPage"),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.webhook.path,
    component: lazyRouteComponent(() => import("./webhook-page.tsx"), "WebhookPage"),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.delivery.path,
    component: lazyRouteComponent(() => import("./delivery-page.tsx"), "DeliveryPage"),
  }),
] as const

import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { appRoute } from "../shell/app-route.tsx"
import { countIn, flagIn, oneIn, type RawSearch, textIn } from "../shell/search.ts"
import { integrationsPages as pages } from "./pages.ts"
import { DELIVERY_STATES, type DeliveryStateName, EVENT_TYPES, type EventType } from "./webhook-words.ts"

/** `new`: the dialog that makes one is open. */
const makingSearch = (search: RawSearch): { offset?: number; new?: true } => ({
  offset: countIn(search.offset),
  new: flagIn(search.new),
})

interface DeliveriesSearch {
  state?: DeliveryStateName
  event_type?: EventType | "ping"
  turn?: string
  offset?: number
}

export const integrationsRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.keys.path,
    validateSearch: makingSearch,
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
    validateSearch: makingSearch,
    component: lazyRouteComponent(() => import("./webhooks-page.tsx"), "WebhooksPage"),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.webhook.path,
    validateSearch: (search: RawSearch): DeliveriesSearch => ({
      state: oneIn(search.state, DELIVERY_STATES),
      event_type: oneIn(search.event_type, [...EVENT_TYPES, "ping"]),
      turn: textIn(search.turn),
      offset: countIn(search.offset),
    }),
    component: lazyRouteComponent(() => import("./webhook-page.tsx"), "WebhookPage"),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.delivery.path,
    component: lazyRouteComponent(() => import("./delivery-page.tsx"), "DeliveryPage"),
  }),
] as const

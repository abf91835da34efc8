import { createRoute } from "@tanstack/react-router"
import type { Delivery } from "../api/operations.ts"
import { DeliveryRules, listDeliveriesQuery } from "../api/rules.ts"
import type { QueryWord } from "../api/words.ts"
import { appRoute } from "../shell/app-route.tsx"
import { lazyPage } from "../shell/lazy-page.ts"
import { countIn, flagIn, oneIn, type RawSearch, textIn } from "../shell/search.ts"
import { integrationsPages as pages } from "./pages.ts"

/** `new`: the dialog for a new key or webhook is open. */
const makingSearch = (search: RawSearch): { offset?: number; new?: true } => ({
  offset: countIn(search.offset),
  new: flagIn(search.new),
})

interface DeliveriesSearch {
  state?: Delivery["state"]
  event_type?: QueryWord<"listDeliveries", "event_type">
  turn?: string
  offset?: number
}

export const integrationsRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.keys.path,
    validateSearch: makingSearch,
    component: lazyPage(() => import("./keys-page.tsx"), "KeysPage"),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.key.path,
    component: lazyPage(() => import("./key-page.tsx"), "KeyPage"),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.webhooks.path,
    validateSearch: makingSearch,
    component: lazyPage(() => import("./webhooks-page.tsx"), "WebhooksPage"),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.eventTypes.path,
    validateSearch: (search: RawSearch): { type?: string } => ({ type: textIn(search.type) }),
    component: lazyPage(() => import("./event-types-page.tsx"), "EventTypesPage"),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.webhook.path,
    validateSearch: (search: RawSearch): DeliveriesSearch => ({
      state: oneIn(search.state, DeliveryRules.state.words),
      event_type: oneIn(search.event_type, listDeliveriesQuery.event_type.words),
      turn: textIn(search.turn),
      offset: countIn(search.offset),
    }),
    component: lazyPage(() => import("./webhook-page.tsx"), "WebhookPage"),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.delivery.path,
    component: lazyPage(() => import("./delivery-page.tsx"), "DeliveryPage"),
  }),
] as const

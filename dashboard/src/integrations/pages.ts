import type { PageInfo } from "../ui/page-info.ts"

export const integrationsPages = {
  keys: {
    path: "/keys",
    title: "API keys",
    about: "The keys of your servers, with their scopes and caps.",
    nav: "Integrations",
  },
  key: {
    path: "/keys/$keyId",
    title: "API key",
    about: "One key: its scope, caps and usage.",
    samples: { keyId: { list: "/api/account/keys?limit=1", field: "key_id" } },
  },
  webhooks: {
    path: "/webhooks",
    title: "Webhooks",
    about: "Endpoints that receive events of turns and of the account.",
    nav: "Integrations",
  },
  eventTypes: {
    path: "/event-types",
    title: "Event catalog",
    about: "Every type of event, with a sample of its body.",
  },
  webhook: {
    path: "/webhooks/$webhookId",
    title: "Webhook",
    about: "One endpoint, its deliveries and their attempts.",
    samples: { webhookId: { list: "/api/account/webhooks?limit=1", field: "webhook_id" } },
  },
  delivery: {
    path: "/deliveries/$deliveryId",
    title: "Delivery",
    about: "One event and the attempts to deliver it to one endpoint.",
    samples: {
      webhookId: { list: "/api/account/webhooks?limit=1", field: "webhook_id" },
      deliveryId: { list: "/api/account/webhooks/$webhookId/deliveries?limit=1", field: "delivery_id" },
    },
  },
} as const satisfies Record<string, PageInfo>

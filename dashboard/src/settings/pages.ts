import type { PageInfo } from "../ui/page-info.ts"

export const settingsPages = {
  containers: {
    path: "/operator/containers",
    title: "Containers",
    about: "Sandboxes that run the tools of agents. Owners never see their URLs.",
    nav: "Agents",
  },
  keys: {
    path: "/operator/api-keys",
    title: "API keys",
    about: "Keys for calls to model providers. Values are stored encrypted and never shown.",
    nav: "Models",
  },
  settings: {
    path: "/operator/settings",
    title: "Settings",
    about: "Settings that take effect without a deploy.",
    nav: "Service",
  },
} as const satisfies Record<string, PageInfo>

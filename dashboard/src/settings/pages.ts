import type { PageInfo } from "../ui/page-info.ts"

export const settingsPages = {
  containers: {
    path: "/operator/containers",
    title: "Containers",
    about: "Sandboxes that run the tools of agents. Customers never see their URLs.",
    nav: "Operate",
  },
  keys: {
    path: "/operator/api-keys",
    title: "API keys",
    about: "Keys for calls to model providers. Values are stored encrypted and never shown.",
    nav: "Operate",
  },
  settings: {
    path: "/operator/settings",
    title: "Settings",
    about: "Settings that take effect without a deploy.",
    nav: "Operate",
  },
} as const satisfies Record<string, PageInfo>

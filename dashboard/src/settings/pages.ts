import type { PageInfo } from "../ui/page-info.ts"

export const settingsPages = {
  containers: {
    path: "/operator/containers",
    title: "Containers",
    about: "Sandboxes of the operator in which the agents of spaces execute; customers never see their addresses.",
    nav: "Operate",
  },
  keys: {
    path: "/operator/api-keys",
    title: "API keys",
    about: "Keys by which the service calls providers; a value is stored sealed, and never shown.",
    nav: "Operate",
  },
  settings: {
    path: "/operator/settings",
    title: "Settings",
    about: "What can be set while the service runs.",
    nav: "Operate",
  },
} as const satisfies Record<string, PageInfo>

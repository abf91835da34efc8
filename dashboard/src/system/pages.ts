import type { PageInfo } from "../ui/page-info.ts"

export const systemPages = {
  system: {
    path: "/operator/system",
    title: "System",
    about: "State of the service, sweeps and reconciliation.",
    nav: "System",
  },
  billing: {
    path: "/operator/system/billing",
    title: "Infrastructure bill",
    about: "Bill containers and storage; look first, then book.",
    nav: "System",
  },
} as const satisfies Record<string, PageInfo>

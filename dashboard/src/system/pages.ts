import type { PageInfo } from "../ui/page-info.ts"

export const systemPages = {
  system: {
    path: "/operator/system",
    title: "System",
    about: "Health of the service, sweeps and reconciliation.",
    nav: "Service",
  },
  billing: {
    path: "/operator/system/billing",
    title: "Infrastructure bill",
    about: "Preview and create the bills for containers and storage.",
    nav: "Service",
  },
} as const satisfies Record<string, PageInfo>

import type { PageInfo } from "../ui/page-info.ts"

export const operatorPages = {
  overview: {
    path: "/operator",
    title: "Overview",
    about: "Current state of the service.",
    nav: "Service",
  },
} as const satisfies Record<string, PageInfo>

import type { PageInfo } from "../ui/page-info.ts"

export const operatorPages = {
  overview: {
    path: "/operator",
    title: "Overview",
    about: "The service at a glance.",
    nav: "Operate",
  },
} as const satisfies Record<string, PageInfo>

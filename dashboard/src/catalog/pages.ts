import type { PageInfo } from "../ui/page-info.ts"

export const catalogPages = {
  catalog: {
    path: "/operator/catalog",
    title: "Catalog",
    about: "Models that spaces and turns can use.",
    nav: "Models",
  },
} as const satisfies Record<string, PageInfo>

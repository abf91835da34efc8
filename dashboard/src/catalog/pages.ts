import type { PageInfo } from "../ui/page-info.ts"

export const catalogPages = {
  catalog: {
    path: "/operator/catalog",
    title: "Catalog",
    about: "The models to choose from, in their order.",
    nav: "Operate",
  },
} as const satisfies Record<string, PageInfo>

import type { PageInfo } from "../ui/page-info.ts"

export const homePages = {
  home: {
    path: "/home",
    title: "Home",
    about: "Balance, today and what needs a look.",
    nav: "Workspace",
  },
} as const satisfies Record<string, PageInfo>

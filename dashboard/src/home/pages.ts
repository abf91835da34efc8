import type { PageInfo } from "../ui/page-info.ts"

export const homePages = {
  home: {
    path: "/home",
    title: "Home",
    about: "Your balance, today's turns and alerts.",
    nav: "Workspace",
  },
} as const satisfies Record<string, PageInfo>

import type { PageInfo } from "../ui/page-info.ts"

export const homePages = {
  home: {
    path: "/home",
    title: "Home",
    about: "What needs you, your balance and today's turns.",
    nav: "Workspace",
    /** The languages of the code on the page. */
    tabs: ["curl", "typescript", "python"],
  },
} as const satisfies Record<string, PageInfo>

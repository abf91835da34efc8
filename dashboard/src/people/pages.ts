import type { PageInfo } from "../ui/page-info.ts"

export const peoplePages = {
  people: {
    path: "/people",
    title: "People",
    about: "The people who act for this account, with their roles, and open invitations.",
    nav: "Account",
  },
} as const satisfies Record<string, PageInfo>

import type { PageInfo } from "../ui/page-info.ts"

export const creditPages = {
  refunds: {
    path: "/operator/refunds",
    title: "Refunds",
    about: "Owners' requests for the refund of a turn. The one that waits for longest is first.",
    nav: "Accounts",
  },
} as const satisfies Record<string, PageInfo>

import type { PageInfo } from "../ui/page-info.ts"

export const endUsersPages = {
  list: {
    path: "/end-users",
    title: "End users",
    about: "Your customers, with their spend and caps.",
    nav: "Workspace",
  },
  prices: {
    path: "/prices",
    title: "Prices",
    about: "The prices that you charge your end users, and their defaults.",
    nav: "Money",
  },
  detail: {
    path: "/end-users/$endUserRef",
    title: "End user",
    about: "One customer: spend, caps, export and erasure.",
    samples: { endUserRef: { list: "/api/account/end-users?limit=1", field: "end_user_ref" } },
  },
  portal: {
    path: "/end-users/$endUserRef/portal",
    title: "Portal",
    about: "A page that shows the customer their own use, in a frame of yours.",
    does: "previewPortal",
    samples: { endUserRef: { list: "/api/account/end-users?limit=1", field: "end_user_ref" } },
  },
} as const satisfies Record<string, PageInfo>

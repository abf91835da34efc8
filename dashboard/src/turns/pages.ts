import type { PageInfo } from "../ui/page-info.ts"

export const turnsPages = {
  list: {
    path: "/turns",
    title: "Turns",
    about: "Every request to an agent, newest first.",
    nav: "Workspace",
  },
  detail: {
    path: "/turns/$turnId",
    title: "Turn",
    about: "One turn: its steps, bill, files and deliveries.",
    samples: { turnId: { list: "/api/account/turns?limit=1", field: "turn_id" } },
  },
} as const satisfies Record<string, PageInfo>

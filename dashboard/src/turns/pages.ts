import type { PageInfo } from "../ui/page-info.ts"
import { TURN_TABS } from "./turn-words.ts"

export const turnsPages = {
  list: {
    path: "/turns",
    title: "Turns",
    about: "Every request to an agent: search, filter, and sort by time, cost or duration.",
    nav: "Workspace",
  },
  waiting: {
    path: "/turns/waiting",
    title: "Waiting turns",
    about: "Turns that wait for a limit, an approval or a result. The one that waits for longest is first.",
    nav: "Workspace",
  },
  detail: {
    path: "/turns/$turnId",
    title: "Turn",
    about: "One turn: its steps, bill, files and deliveries.",
    samples: { turnId: { list: "/api/account/turns?limit=1", field: "turn_id" } },
    tabs: TURN_TABS,
  },
} as const satisfies Record<string, PageInfo>

/** The turns of all accounts, for operators. */
export const allTurnsPages = {
  list: {
    path: "/operator/turns",
    title: "All turns",
    about: "The turns of all accounts, without their texts.",
    nav: "Agents",
  },
  detail: {
    path: "/operator/turns/$turnId",
    title: "Turn of an account",
    about: "One turn of any account. The audit log records each look at it.",
    samples: { turnId: { list: "/api/admin/turns?limit=1", field: "turn_id" } },
  },
} as const satisfies Record<string, PageInfo>

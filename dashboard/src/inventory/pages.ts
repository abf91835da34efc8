import type { PageInfo } from "../ui/page-info.ts"

export const inventoryPages = {
  spaces: {
    path: "/operator/spaces",
    title: "Spaces",
    about: "Every space of every account.",
    nav: "Operate",
  },
  space: {
    path: "/operator/spaces/$spaceId",
    title: "Space",
    about: "One space, as the operator sees it.",
    samples: { spaceId: { list: "/api/admin/spaces/list?limit=1", field: "space_id" } },
  },
  sessions: {
    path: "/operator/sessions",
    title: "Contexts",
    about: "How much of the model's window the last call of each agent and sub-agent has read.",
    nav: "Operate",
  },
  tasks: {
    path: "/operator/tasks",
    title: "Tasks",
    about: "What agents ask people to do; the steps of a flow are tasks.",
    nav: "Operate",
  },
} as const satisfies Record<string, PageInfo>

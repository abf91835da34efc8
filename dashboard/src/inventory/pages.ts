import type { PageInfo } from "../ui/page-info.ts"

export const inventoryPages = {
  spaces: {
    path: "/operator/spaces",
    title: "Spaces",
    about: "All spaces of all accounts.",
    nav: "Agents",
  },
  space: {
    path: "/operator/spaces/$spaceId",
    title: "Space",
    about: "Details of one space.",
    samples: { spaceId: { list: "/api/admin/spaces/list?limit=1", field: "space_id" } },
  },
  sessions: {
    path: "/operator/sessions",
    title: "Contexts",
    about: "How much of the model's context window the last call of each agent and sub-agent used.",
    nav: "Agents",
  },
  tasks: {
    path: "/operator/tasks",
    title: "Tasks",
    about: "Tasks that agents created for people. Each step of a flow is a task.",
    nav: "Agents",
  },
} as const satisfies Record<string, PageInfo>

import type { PageInfo } from "../ui/page-info.ts"

export const workspacesPages = {
  workspaces: {
    path: "/operator/workspaces",
    title: "Workspaces",
    about: "Groups of people with spaces and a bot; only a space's owner is billed.",
    nav: "Operate",
  },
  workspace: {
    path: "/operator/workspaces/$workspaceId",
    title: "Workspace",
    about: "One workspace: members, spaces, bot.",
    samples: { workspaceId: { list: "/api/admin/workspaces?limit=1", field: "workspace_id" } },
  },
} as const satisfies Record<string, PageInfo>

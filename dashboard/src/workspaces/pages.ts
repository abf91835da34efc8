import type { PageInfo } from "../ui/page-info.ts"

export const workspacesPages = {
  workspaces: {
    path: "/operator/workspaces",
    title: "Workspaces",
    about: "Groups of people who share spaces and a bot. The owner of each space pays for it.",
    nav: "Accounts",
  },
  workspace: {
    path: "/operator/workspaces/$workspaceId",
    title: "Workspace",
    about: "One workspace: its members, spaces and bot.",
    samples: { workspaceId: { list: "/api/admin/workspaces?limit=1", field: "workspace_id" } },
  },
} as const satisfies Record<string, PageInfo>

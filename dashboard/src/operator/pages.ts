import type { PageInfo } from "../ui/page-info.ts"

export const operatorPages = {
  overview: {
    path: "/operator",
    title: "Overview",
    about: "The service at a glance.",
    nav: "Operate",
  },
  users: {
    path: "/operator/users",
    title: "Users",
    about: "Everybody with an account.",
    nav: "Operate",
  },
  user: {
    path: "/operator/users/$userId",
    title: "User",
    about: "One account: its plan, spaces, energy, access and history.",
    samples: { userId: { list: "/api/admin/users?limit=1", field: "user_id" } },
  },
  subscriptions: {
    path: "/operator/subscriptions",
    title: "Subscriptions",
    about: "Plans of users over a time, and their use.",
    nav: "Operate",
  },
  catalog: {
    path: "/operator/catalog",
    title: "Catalog",
    about: "The models to choose from, in their order.",
    nav: "Operate",
  },
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
  teams: {
    path: "/operator/teams",
    title: "Teams",
    about: "Groups of users, who are members of the workspaces that their team is attached to.",
    nav: "Operate",
  },
  team: {
    path: "/operator/teams/$teamId",
    title: "Team",
    about: "One team and its members.",
    samples: { teamId: { list: "/api/admin/teams?limit=1", field: "team_id" } },
  },
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
  containers: {
    path: "/operator/containers",
    title: "Containers",
    about: "Sandboxes of the operator in which the agents of spaces execute; customers never see their addresses.",
    nav: "Operate",
  },
  keys: {
    path: "/operator/api-keys",
    title: "API keys",
    about: "Keys by which the service calls providers; a value is stored sealed, and never shown.",
    nav: "Operate",
  },
  settings: {
    path: "/operator/settings",
    title: "Settings",
    about: "What can be set while the service runs.",
    nav: "Operate",
  },
  audit: {
    path: "/operator/audit",
    title: "Audit",
    about: "Who changed what, and when.",
    nav: "Operate",
  },
} as const satisfies Record<string, PageInfo>

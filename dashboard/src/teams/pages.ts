import type { PageInfo } from "../ui/page-info.ts"

export const teamsPages = {
  teams: {
    path: "/operator/teams",
    title: "Teams",
    about: "Groups of users. The members of a team are members of its workspaces.",
    nav: "Accounts",
  },
  team: {
    path: "/operator/teams/$teamId",
    title: "Team",
    about: "One team and its members.",
    samples: { teamId: { list: "/api/admin/teams?limit=1", field: "team_id" } },
  },
} as const satisfies Record<string, PageInfo>

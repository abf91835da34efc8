import type { PageInfo } from "../ui/page-info.ts"

export const spacesPages = {
  list: {
    path: "/spaces",
    title: "Spaces",
    about: "Agents with their instructions, tools and files.",
    nav: "Workspace",
  },
  detail: {
    path: "/spaces/$spaceId",
    title: "Space",
    about: "One agent: its instructions, tools, secrets and files.",
    samples: { spaceId: { list: "/api/account/spaces?limit=1", field: "space_id" } },
    tabs: ["instructions", "tools", "mcp", "secrets", "versions", "files", "sharing", "retention", "use"],
  },
} as const satisfies Record<string, PageInfo>

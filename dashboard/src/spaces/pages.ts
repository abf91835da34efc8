import type { PageInfo } from "../ui/page-info.ts"
import { SPACE_TABS } from "./words.ts"

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
    tabs: SPACE_TABS,
  },
} as const satisfies Record<string, PageInfo>

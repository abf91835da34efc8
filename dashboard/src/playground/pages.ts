import type { PageInfo } from "../ui/page-info.ts"

export const playgroundPages = {
  playground: {
    path: "/playground",
    title: "Playground",
    about: "Send a turn and watch it run.",
    nav: "Workspace",
    does: "createChatTurn",
    tabs: ["curl", "typescript", "python"],
  },
} as const satisfies Record<string, PageInfo>

import type { PageInfo } from "../ui/page-info.ts"

export const usersPages = {
  users: {
    path: "/operator/users",
    title: "Users",
    about: "All accounts of the service.",
    nav: "Accounts",
  },
  user: {
    path: "/operator/users/$userId",
    title: "User",
    about: "One account: its plan, spaces, end users, energy, access and history.",
    samples: { userId: { list: "/api/admin/users?limit=1", field: "user_id" } },
    tabs: ["account", "spaces", "end-users", "energy", "access", "history"],
  },
} as const satisfies Record<string, PageInfo>

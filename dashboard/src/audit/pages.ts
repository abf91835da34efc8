import type { PageInfo } from "../ui/page-info.ts"

export const auditPages = {
  audit: {
    path: "/operator/audit",
    title: "Audit",
    about: "Who changed what, and when.",
    nav: "Operate",
  },
} as const satisfies Record<string, PageInfo>

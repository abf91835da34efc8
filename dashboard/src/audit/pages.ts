import type { PageInfo } from "../ui/page-info.ts"

export const auditPages = {
  audit: {
    path: "/operator/audit",
    title: "Audit",
    about: "Every change by an operator: who made it, when, and its values before and after.",
    nav: "Service",
  },
} as const satisfies Record<string, PageInfo>

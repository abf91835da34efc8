import { createRoute } from "@tanstack/react-router"
import { adminRoute } from "../shell/app-route.tsx"
import { lazyPage } from "../shell/lazy-page.ts"
import { countIn, instantIn, type RawSearch, textIn } from "../shell/search.ts"
import { auditPages as pages } from "./pages.ts"

export const auditRoutes = [
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.audit.path,
    validateSearch: (
      search: RawSearch,
    ): {
      actor_user_id?: number
      subject_type?: string
      subject_id?: string
      action?: string
      created_after?: string
      created_before?: string
      entry?: number
      offset?: number
    } => ({
      actor_user_id: countIn(search.actor_user_id),
      subject_type: textIn(search.subject_type),
      subject_id: textIn(search.subject_id),
      action: textIn(search.action),
      created_after: instantIn(search.created_after),
      created_before: instantIn(search.created_before),
      entry: countIn(search.entry),
      offset: countIn(search.offset),
    }),
    component: lazyPage(() => import("./audit-page.tsx"), "AuditPage"),
  }),
] as const

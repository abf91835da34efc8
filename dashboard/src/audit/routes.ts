import { createRoute } from "@tanstack/react-router"
import { adminRoute } from "../shell/app-route.tsx"
import { lazyPage } from "../shell/lazy-page.ts"
import { countIn, createdRangeIn, type RawSearch, textIn } from "../shell/search.ts"
import type { CreatedSearch } from "../ui/time-range.ts"
import { auditPages as pages } from "./pages.ts"

export const auditRoutes = [
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.audit.path,
    validateSearch: (
      search: RawSearch,
    ): CreatedSearch & {
      actor_user_id?: number
      subject_type?: string
      subject_id?: string
      action?: string
      entry?: number
      offset?: number
    } => ({
      actor_user_id: countIn(search.actor_user_id),
      subject_type: textIn(search.subject_type),
      subject_id: textIn(search.subject_id),
      action: textIn(search.action),
      ...createdRangeIn(search),
      entry: countIn(search.entry),
      offset: countIn(search.offset),
    }),
    component: lazyPage(() => import("./audit-page.tsx"), "AuditPage"),
  }),
] as const

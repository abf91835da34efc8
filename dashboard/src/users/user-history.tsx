import { getRouteApi } from "@tanstack/react-router"
import { useRead } from "../api/query.ts"
import { AuditList } from "../audit/audit-list.tsx"
import { curl } from "../operator/parts.tsx"
import { EmptyState } from "../ui/empty-state.tsx"
import { TextLink } from "../ui/link.tsx"
import { PAGE_ROWS } from "../ui/pager.tsx"

const route = getRouteApi("/app/admin/operator/users/$userId")

/** The changes that admins made to a user. */
export function UserHistory({ userId }: { userId: number }) {
  const { offset = 0 } = route.useSearch()
  const audit = useRead("listAudit", { query: { changed_user_id: userId, limit: PAGE_ROWS, offset } })
  return (
    <div className="flex flex-col gap-3">
      <p className="text-muted">
        Changes that operators made to this account.{" "}
        <TextLink to="/operator/audit" search={{ actor_user_id: userId }}>
          View changes that this user made
        </TextLink>
        .
      </p>
      <AuditList
        of={audit}
        empty={<EmptyState title="No changes yet" curl={curl(`/api/admin/audit?changed_user_id=${userId}`)} />}
      />
    </div>
  )
}

import { getRouteApi } from "@tanstack/react-router"
import { AUDIT_WORDS } from "../api/action-words.ts"
import { useRead } from "../api/query.ts"
import { curl } from "../operator/parts.tsx"
import { CsvLink } from "../ui/csv-link.tsx"
import { EmptyState } from "../ui/empty-state.tsx"
import { ChoiceFilter, FilterBar, TextFilter } from "../ui/filter-bar.tsx"
import { Page } from "../ui/page.tsx"
import { PAGE_ROWS } from "../ui/pager.tsx"
import { CreatedRange } from "../ui/range.tsx"
import { createdIn } from "../ui/time-range.ts"
import { AuditList } from "./audit-list.tsx"
import { auditPages } from "./pages.ts"

const route = getRouteApi("/app/admin/operator/audit")

const ACTIONS = Object.entries(AUDIT_WORDS).sort(([, one], [, other]) => one.localeCompare(other))

export function AuditPage() {
  const { offset = 0, entry: _entry, test: _test, ...filters } = route.useSearch()
  const { range: _range, ...others } = filters
  const query = { ...others, ...createdIn(filters) }
  const audit = useRead("listAudit", { query: { ...query, limit: PAGE_ROWS, offset } })
  return (
    <Page {...auditPages.audit} action={<CsvLink of="listAudit" input={{ query }} />}>
      <FilterBar
        set={filters}
        filters={
          <>
            <ChoiceFilter label="Action" name="action" value={filters.action} all="All actions" options={ACTIONS} />
            <TextFilter
              label="Actor's user id"
              name="actor_user_id"
              value={filters.actor_user_id === undefined ? undefined : String(filters.actor_user_id)}
            />
            <TextFilter label="Subject type" name="subject_type" value={filters.subject_type} />
            <TextFilter label="Subject id" name="subject_id" value={filters.subject_id} />
          </>
        }
      >
        <CreatedRange of={filters} />
      </FilterBar>
      <AuditList
        of={audit}
        empty={
          <EmptyState title="No entries match these filters" curl={curl("/api/admin/audit")}>
            Every change that an operator makes is recorded here. Change the filters to see other entries.
          </EmptyState>
        }
      />
    </Page>
  )
}

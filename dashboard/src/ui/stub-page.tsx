import { EmptyState } from "./empty-state.tsx"
import { Page } from "./page.tsx"
import type { PageInfo } from "./page-info.ts"

/** A page that nobody has filled yet. */
export function StubPage({ page }: { page: PageInfo }) {
  return (
    <Page title={page.title} about={page.about}>
      <EmptyState title="Not here yet">The API has it already: see the reference.</EmptyState>
    </Page>
  )
}

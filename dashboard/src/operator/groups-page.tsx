import { type ComponentType, type ReactNode, Suspense, useState } from "react"
import { Button } from "../ui/button.tsx"
import { ChoiceFilter, FilterBar, TextFilter } from "../ui/filter-bar.tsx"
import { Page } from "../ui/page.tsx"
import type { PageInfo } from "../ui/page-info.ts"
import { ARCHIVED, type Archived } from "./words.ts"

interface GroupsPageProps {
  page: PageInfo
  /** The noun for one item of the list: "team" or "workspace". */
  what: string
  search: { q?: string | undefined; archived?: Archived | undefined }
  /** The dialog that creates an item. It is loaded on demand. */
  form: ComponentType<{ onClose: () => void }>
  /** The link to the CSV of the list. */
  csv: ReactNode
  children: ReactNode
}

/** The list page of teams or workspaces, with filters by name and state and a dialog to create one. */
export function GroupsPage({ page, what, search, form: Form, csv, children }: GroupsPageProps) {
  const [creating, setCreating] = useState(false)
  return (
    <Page
      {...page}
      action={
        <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
          Create a {what}
        </Button>
      }
    >
      <FilterBar set={search} end={csv}>
        <TextFilter label="Name" name="q" value={search.q} />
        <ChoiceFilter
          label="State"
          name="archived"
          value={search.archived}
          all="Active and archived"
          options={ARCHIVED.filter((state) => state !== "all")}
        />
      </FilterBar>
      {children}
      {creating && (
        <Suspense>
          <Form onClose={() => setCreating(false)} />
        </Suspense>
      )}
    </Page>
  )
}

import { type ComponentType, type ReactNode, Suspense, useState } from "react"
import { Button } from "../ui/button.tsx"
import { ChoiceFilter, FilterBar, TextFilter } from "../ui/filter-bar.tsx"
import { Page } from "../ui/page.tsx"
import type { PageInfo } from "../ui/page-info.ts"
import { ARCHIVED, type Archived } from "./words.ts"

interface GroupsPageProps {
  page: PageInfo
  /** What is made here: "team". */
  what: string
  search: { q?: string | undefined; archived?: Archived | undefined }
  /** The dialog that makes one, loaded when it is wanted. */
  form: ComponentType<{ onClose: () => void }>
  /** The list. */
  children: ReactNode
}

/** The page of all teams or of all workspaces: they are found by name and state, and made in a dialog. */
export function OperatorGroupsPage({ page, what, search, form: Form, children }: GroupsPageProps) {
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
      <FilterBar set={search}>
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

import { useSearch } from "@tanstack/react-router"
import { useRead } from "../api/query.ts"
import { listSpacesQuery } from "../api/rules.ts"
import { CreditNotice } from "../turns/credit-notice.tsx"
import { Button } from "../ui/button.tsx"
import { CodeBlock } from "../ui/code-block.tsx"
import { wholeCurl } from "../ui/commands.ts"
import { EmptyState } from "../ui/empty-state.tsx"
import { useFilters } from "../ui/filter-bar.tsx"
import { ButtonLink } from "../ui/link.tsx"
import { Page } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { Composer } from "./composer.tsx"
import { playgroundPages } from "./pages.ts"
import { Thread } from "./thread.tsx"

export function PlaygroundPage() {
  const { test, space, conversation } = useSearch({ from: "/app/playground" })
  const change = useFilters()
  const spaces = useRead("listSpaces", { query: { test: test && "true", limit: listSpacesQuery.limit.maximum } })
  return (
    <Page
      {...playgroundPages.playground}
      action={
        conversation && (
          <Button onClick={() => change({ conversation: undefined, other: undefined, turn: undefined })}>
            New conversation
          </Button>
        )
      }
    >
      <CreditNotice />
      <Read of={spaces} rows={8}>
        {({ items }) => {
          const chosen = items.find(({ space_id }) => space_id === space) ?? items[0]
          return chosen ? (
            <div className="grid items-start gap-6 lg:grid-cols-[minmax(300px,400px)_minmax(0,1fr)] lg:grid-rows-[auto_1fr]">
              <Composer key={chosen.space_id} spaces={items} space={chosen} />
              <div className="min-w-0 lg:col-start-2 lg:row-span-2 lg:row-start-1">
                <Thread space={chosen} />
              </div>
            </div>
          ) : (
            <NoSpaces />
          )
        }}
      </Read>
    </Page>
  )
}

function NoSpaces() {
  return (
    <EmptyState
      title="No spaces yet"
      action={
        <ButtonLink kind="primary" to="/spaces">
          Create a space
        </ButtonLink>
      }
    >
      <p className="pb-3">
        A space holds an agent: its instructions, tools, files and secrets. Create one to send turns to it.
      </p>
      <CodeBlock
        label="The next step as curl"
        code={wholeCurl("/v1/spaces", { method: "POST", body: { title: "First" } })}
      />
    </EmptyState>
  )
}

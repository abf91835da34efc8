import { usePrefetchQuery, useQuery } from "@tanstack/react-query"
import { useSearch } from "@tanstack/react-router"
import { ApiError } from "../api/api-error.ts"
import { queryOf, useRead } from "../api/query.ts"
import { CreditNotice } from "../turns/credit-notice.tsx"
import { Button } from "../ui/button.tsx"
import { CodeBlock } from "../ui/code-block.tsx"
import { wholeCurl } from "../ui/commands.ts"
import { EmptyState } from "../ui/empty-state.tsx"
import { ErrorState } from "../ui/error-state.tsx"
import { useFilters } from "../ui/filter-bar.tsx"
import { ButtonLink } from "../ui/link.tsx"
import { Page } from "../ui/page.tsx"
import { SpacePicker } from "../ui/pickers.tsx"
import { Skeleton } from "../ui/skeleton.tsx"
import { Composer, type PlaygroundSpace } from "./composer.tsx"
import { playgroundPages } from "./pages.ts"
import { Thread } from "./thread.tsx"
import { AFRESH } from "./turn-extras.tsx"

export function PlaygroundPage() {
  const { test, space, conversation } = useSearch({ from: "/app/playground" })
  const change = useFilters()
  return (
    <Page
      {...playgroundPages.playground}
      action={conversation && <Button onClick={() => change(AFRESH)}>New conversation</Button>}
    >
      <CreditNotice />
      <ChosenSpace spaceId={space} test={test} />
    </Page>
  )
}

interface ChosenProps {
  /** The space of the URL. Undefined: the newest one. */
  spaceId: string | undefined
  test: true | undefined
}

/** Shows the space of the URL and never another one: a turn is sent to the shown agent. */
function ChosenSpace({ spaceId, test }: ChosenProps) {
  const tested = { test: test && ("true" as const) }
  // The form shows the models. They are read together with the space.
  usePrefetchQuery(queryOf("listModels", { query: tested }))
  const newest = useRead("listSpaces", { query: { ...tested, limit: 1 } })
  const named = useQuery({
    ...queryOf("getSpace", { path: { space_id: spaceId ?? "" }, query: tested }),
    enabled: spaceId !== undefined,
  })
  const first = newest.data?.items[0]
  const space = spaceId === undefined || first?.space_id === spaceId ? first : named.data
  if (space) return <Room space={space} />
  if (spaceId === undefined && newest.data) return <NoSpaces />
  const { error, refetch } = spaceId === undefined ? newest : named
  if (error instanceof ApiError && error.status === 404) return <UnknownSpace error={error} test={test} />
  return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Skeleton rows={8} />
}

function UnknownSpace({ error, test }: { error: ApiError; test: true | undefined }) {
  const change = useFilters()
  return (
    <div className="flex max-w-[560px] flex-col gap-4">
      <ErrorState error={error} />
      <SpacePicker
        label="Space"
        hint={test ? "Test data has its own spaces." : undefined}
        value=""
        test={test}
        onChange={(id) => change({ space: id, ...AFRESH, files: undefined })}
      />
    </div>
  )
}

/** The form of a turn, next to the conversation. */
const Room = ({ space }: { space: PlaygroundSpace }) => (
  <div className="grid items-start gap-6 lg:grid-cols-[minmax(300px,400px)_minmax(0,1fr)] lg:grid-rows-[auto_1fr]">
    <Composer space={space} />
    <div className="min-w-0 lg:col-start-2 lg:row-span-2 lg:row-start-1">
      <Thread space={space} />
    </div>
  </div>
)

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

import { getRouteApi } from "@tanstack/react-router"
import { ACTIVITY_WORDS, actionWords } from "../api/action-words.ts"
import { wordsOf } from "../api/code-words.ts"
import type { ActivityEntry } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { ActivityEntryRules } from "../api/rules.ts"
import { Button } from "../ui/button.tsx"
import { AllChanges, ShownChanges } from "../ui/changes.tsx"
import { CsvLink } from "../ui/csv-link.tsx"
import { Dialog } from "../ui/dialog.tsx"
import { EmptyState } from "../ui/empty-state.tsx"
import { KeyValues } from "../ui/facts.tsx"
import { ChoiceFilter, FilterBar, TextFilter } from "../ui/filter-bar.tsx"
import { useOpenedEntry } from "../ui/opened-entry.ts"
import { Page } from "../ui/page.tsx"
import { OffsetPager, PAGE_ROWS } from "../ui/pager.tsx"
import { CreatedRange } from "../ui/range.tsx"
import { Read } from "../ui/read.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { createdIn } from "../ui/time-range.ts"
import { Id, Time } from "../ui/values.tsx"
import { MAKER_WORDS } from "./activity-words.ts"
import { accountPages } from "./pages.ts"

const route = getRouteApi("/app/activity")
const ACTIONS = Object.entries(ACTIVITY_WORDS)

export function ActivityPage() {
  const { offset = 0, entry: _entry, ...filters } = route.useSearch()
  const [opened, open] = useOpenedEntry()
  const { range: _range, ...others } = filters
  const query = { ...others, ...createdIn(filters) }
  const activity = useRead("listActivity", { query: { ...query, limit: PAGE_ROWS, offset } })
  const entry = activity.data?.items.find(({ activity_id }) => activity_id === opened)
  return (
    <Page {...accountPages.activity} action={<CsvLink of="listActivity" input={{ query }} />}>
      <FilterBar
        set={filters}
        filters={
          <>
            <ChoiceFilter label="Action" name="action" value={filters.action} all="All actions" options={ACTIONS} />
            <ChoiceFilter
              label="By"
              name="by"
              value={filters.by}
              all="All makers"
              options={ActivityEntryRules.by.words.map((maker) => [maker, MAKER_WORDS[maker]] as const)}
            />
            <PersonFilter value={filters.member} />
            <TextFilter label="Changed object" name="subject_id" value={filters.subject_id} />
          </>
        }
      >
        <CreatedRange of={filters} />
      </FilterBar>
      <Read of={activity} rows={10}>
        {({ items, total, limit, offset }) => (
          <>
            <Table
              caption="Changes of the account"
              list="activity"
              columns={columnsOf(open)}
              rows={items}
              rowKey={({ activity_id }) => activity_id}
              stale={activity.isPlaceholderData}
              empty={
                <EmptyState
                  title={
                    Object.values(filters).some((value) => value !== undefined)
                      ? "No changes match these filters"
                      : "No changes yet"
                  }
                >
                  Changes of keys, limits, prices, webhooks and spaces are recorded here as they happen.
                </EmptyState>
              }
            />
            <OffsetPager offset={offset} limit={limit} total={total} />
          </>
        )}
      </Read>
      {entry && <Entry of={entry} onClose={() => open(undefined)} />}
    </Page>
  )
}

/** The people of the account, except its own user, whose changes have another maker. */
function PersonFilter({ value }: { value: number | undefined }) {
  const { data: me } = useRead("getMe")
  const { data } = useRead("listMembers")
  const people = data?.members.filter(({ user_id }) => user_id !== me?.user.user_id) ?? []
  if (people.length === 0 && value === undefined) return null
  return (
    <ChoiceFilter
      label="Person"
      name="member"
      value={value === undefined ? undefined : String(value)}
      all="All people"
      options={people.map(({ user_id, name, email }) => [String(user_id), name ?? email ?? `User ${user_id}`] as const)}
    />
  )
}

const columnsOf = (open: (entry: number) => void): Column<ActivityEntry>[] => [
  { title: "When", cell: ({ created_at }) => <Time at={created_at} /> },
  { title: "By", cell: (entry) => <Maker of={entry} /> },
  { title: "Action", cell: ({ action }) => <span title={action}>{actionWords(action)}</span> },
  { title: "Changed object", cell: (entry) => <Subject of={entry} /> },
  { title: "Change", cell: (entry) => <ShownChanges of={entry} /> },
  {
    title: "Actions",
    actions: true,
    cell: ({ activity_id, action }) => (
      <Button
        kind="quiet"
        aria-label={`Show change ${activity_id}, ${actionWords(action)}`}
        onClick={() => open(activity_id)}
      >
        Show
      </Button>
    ),
  },
]

function Maker({ of: { by, name, key_id, member_id } }: { of: ActivityEntry }) {
  const { data: me } = useRead("getMe")
  // To a member, the account's own user is another person.
  const isYou = me?.person ? by === "member" && member_id === me.person.user_id : by === "owner"
  if (isYou) return <span>You</span>
  return (
    <span className="inline-flex flex-wrap items-center gap-2">
      <span className="text-muted">{MAKER_WORDS[by]}</span>
      {by === "owner" && <span>{name}</span>}
      {by === "key" && key_id && <Id id={name ?? key_id} href={`/keys/${key_id}`} full />}
      {by === "member" && <span>{name}</span>}
    </span>
  )
}

/** Path prefixes of the objects that have a page. */
const SUBJECTS: Record<string, string> = {
  key: "/keys/",
  webhook: "/webhooks/",
  space: "/spaces/",
  end_user: "/end-users/",
  call: "/turns/",
}

function Subject({ of: { subject_type, subject_id } }: { of: ActivityEntry }) {
  const path = SUBJECTS[subject_type]
  if (subject_type === "user") return <span className="text-muted">account</span>
  return (
    <span className="inline-flex flex-wrap items-center gap-2">
      <span className="text-muted">{wordsOf(subject_type)}</span>
      <Id id={subject_id} href={path && `${path}${encodeURIComponent(subject_id)}`} />
    </span>
  )
}

function Entry({ of, onClose }: { of: ActivityEntry; onClose: () => void }) {
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={actionWords(of.action)}
      actions={<Button onClick={onClose}>Close</Button>}
    >
      <KeyValues
        entries={[
          ["When", <Time key="at" at={of.created_at} exact />],
          ["By", <Maker key="by" of={of} />],
          ["Changed object", <Subject key="what" of={of} />],
          ["Action", <code key="action">{of.action}</code>],
          ["IP address", of.address ?? "–"],
          ["Request", of.request_id ? <Id key="request" id={of.request_id} full /> : "–"],
        ]}
      />
      {of.by === "operator" ? (
        <p className="text-muted">The operator of the service made this change, and its details are theirs.</p>
      ) : (
        <AllChanges of={of} />
      )}
    </Dialog>
  )
}

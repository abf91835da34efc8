import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import type { AdminSpaceDetail, ChatPerson } from "../api/operations.ts"
import { queryOf, useRead } from "../api/query.ts"
import { BilledChart } from "../operator/billed-chart.tsx"
import { List } from "../operator/list.tsx"
import { curl, PersonName } from "../operator/parts.tsx"
import { Json } from "../ui/code-block.tsx"
import { EmptyState } from "../ui/empty-state.tsx"
import { KeyValues, Stat, Stats } from "../ui/facts.tsx"
import { TextLink } from "../ui/link.tsx"
import { Page, Section } from "../ui/page.tsx"
import { PAGE_ROWS } from "../ui/pager.tsx"
import { Read } from "../ui/read.tsx"
import { Status } from "../ui/status.tsx"
import type { Column } from "../ui/table.tsx"
import { Count, Id, Money, MoneyFigure, Time } from "../ui/values.tsx"
import { inventoryPages } from "./pages.ts"

const route = getRouteApi("/app/admin/operator/spaces/$spaceId")

/** Finds the space by number, slug or chat key. */
export function AnySpacePage() {
  const { spaceId } = route.useParams()
  const byNumber = /^\d+$/.test(spaceId)
  const chatKey = spaceId.startsWith("spc_") ? `space:${spaceId}` : spaceId
  const found = useQuery({
    ...queryOf("getSpaceByKey", { path: { chat_key: chatKey }, query: { limit: 1 } }),
    enabled: !byNumber,
  })
  const number = byNumber ? Number(spaceId) : found.data?.space.space_id
  const space = useQuery({
    ...queryOf("getSpaceById", { path: { space_id: number ?? 0 } }),
    enabled: number !== undefined,
  })
  return (
    <Page
      title={space.data?.title ?? `Space ${spaceId}`}
      about={space.data ? <Facts of={space.data} /> : inventoryPages.space.about}
      above={<TextLink to="/operator/spaces">Spaces</TextLink>}
    >
      {found.error ? (
        <Read of={found}>{() => null}</Read>
      ) : (
        <Read of={space} rows={12}>
          {(data) => <Space of={data} />}
        </Read>
      )}
    </Page>
  )
}

const Facts = ({ of }: { of: AdminSpaceDetail }) => (
  <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
    <Id id={of.slug} full />
    <Status word={of.archived ? "archived" : "active"} />
    {of.test && <Status word="test" tone="warn" />}
  </span>
)

const names = (list: readonly string[]) =>
  list.length === 0 ? (
    <span className="text-muted">none</span>
  ) : (
    <span className="flex flex-wrap gap-x-3">
      {list.map((name) => (
        <code key={name}>{name}</code>
      ))}
    </span>
  )

function Space({ of }: { of: AdminSpaceDetail }) {
  const { instructions, ...manifest } = of.manifest
  return (
    <>
      <Stats>
        <Stat label="Turns">
          <Count value={of.messages} />
        </Stat>
        <Stat label="Billed">
          <MoneyFigure usd={of.cost_usd} />
        </Stat>
        <Stat label="Last turn">
          <Time at={of.last_activity} />
        </Stat>
      </Stats>
      <BilledChart chatKey={of.chat_key} />
      <Section title="Members and participants">
        <People of={of} />
      </Section>
      <div className="grid gap-x-10 gap-y-5 xl:grid-cols-2">
        <Section title="Details">
          <KeyValues
            entries={[
              ["Number", <Id key="number" id={String(of.space_id)} />],
              ["Chat key", <Id key="key" id={of.chat_key} full />],
              ["Owner", <PersonName key="owner" of={of.owner} />],
              [
                "Workspace",
                of.workspace_id ? (
                  <TextLink
                    key="workspace"
                    to="/operator/workspaces/$workspaceId"
                    params={{ workspaceId: of.workspace_id }}
                  >
                    {of.workspace_id}
                  </TextLink>
                ) : (
                  "–"
                ),
              ],
              ["Origin", of.origin],
              ["Brand", of.brand],
              ["Created by key", of.created_by_key_id ? <Id key="by" id={of.created_by_key_id} /> : "–"],
              ["Model", of.model ? <code key="model">{of.model}</code> : "default model"],
              ["Tools", names(of.tools)],
              ["MCP servers", names(of.mcp_servers)],
              ["Created", <Time key="created" at={of.created_at} />],
              ["Last changed", <Time key="changed" at={of.updated_at} />],
              ["Archived", of.archived_at ? <Time key="archived" at={of.archived_at} /> : undefined],
            ]}
          />
        </Section>
        <Section title={`Configuration, version ${of.config_version}`}>
          {instructions && <p className="whitespace-pre-wrap break-words">{instructions}</p>}
          {Object.keys(manifest).length > 0 && <Json value={manifest} label="Manifest without instructions" />}
          {Object.keys(of.manifest).length === 0 && (
            <p className="text-muted">The configuration is empty. All fields have their defaults.</p>
          )}
          {Object.keys(of.metadata).length > 0 && <Json value={of.metadata} label="Metadata" />}
        </Section>
      </div>
    </>
  )
}

const PEOPLE: Column<ChatPerson>[] = [
  {
    title: "Person",
    cell: ({ user_id, name, end_user_ref }) =>
      user_id === null ? (
        <code className="break-all">{end_user_ref ?? "–"}</code>
      ) : (
        <PersonName of={{ user_id, name }} />
      ),
  },
  {
    title: "Role",
    cell: ({ role, via, user_id }) =>
      via === "board" ? "in the chat, no access" : (role ?? (user_id === null ? "end user" : "not a member")),
  },
  { title: "Turns", right: true, cell: ({ turns }) => <Count value={turns} /> },
  { title: "Input tokens", right: true, cell: ({ tokens_input }) => <Count value={tokens_input} /> },
  { title: "Cached input tokens", right: true, cell: ({ tokens_cached }) => <Count value={tokens_cached} /> },
  { title: "Output tokens", right: true, cell: ({ tokens_output }) => <Count value={tokens_output} /> },
  { title: "Billed", right: true, cell: ({ cost_usd }) => <Money usd={cost_usd} /> },
  { title: "Last turn", right: true, cell: ({ last_activity }) => <Time at={last_activity} /> },
]

/** The members of the space, and other people who sent turns to it. */
function People({ of }: { of: AdminSpaceDetail }) {
  const { offset = 0 } = route.useSearch()
  const people = useRead("getSpaceByKey", { path: { chat_key: of.chat_key }, query: { limit: PAGE_ROWS, offset } })
  return (
    <List
      caption="Members of the space, and other people who sent turns"
      of={people}
      columns={PEOPLE}
      rowKey={({ user_id, end_user_ref }) => `${user_id} ${end_user_ref}`}
      empty={
        <EmptyState
          title="No members or participants yet"
          curl={curl(`/api/admin/spaces/by-key/${encodeURIComponent(of.chat_key)}`)}
        />
      }
    />
  )
}

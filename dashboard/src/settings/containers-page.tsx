import { getRouteApi } from "@tanstack/react-router"
import { Suspense, useState } from "react"
import type { ContainerMapping } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { List } from "../operator/list.tsx"
import { curl, PersonName } from "../operator/parts.tsx"
import { Button } from "../ui/button.tsx"
import { EmptyState } from "../ui/empty-state.tsx"
import { FilterBar, TextFilter } from "../ui/filter-bar.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { TextLink } from "../ui/link.tsx"
import { Page } from "../ui/page.tsx"
import { PAGE_ROWS } from "../ui/pager.tsx"
import { Status } from "../ui/status.tsx"
import type { Column } from "../ui/table.tsx"
import { Time } from "../ui/values.tsx"
import { settingsPages } from "./pages.ts"

const MappingForm = lazyPart(() => import("./container-form.tsx").then((file) => ({ default: file.MappingForm })))
const RemoveMapping = lazyPart(() => import("./container-remove.tsx").then((file) => ({ default: file.RemoveMapping })))
const route = getRouteApi("/app/admin/operator/containers")

type Act = (mapping: ContainerMapping) => void

const columnsOf = ({ edit, remove }: Record<"edit" | "remove", Act>): Column<ContainerMapping>[] => [
  { title: "Container", cell: ({ container }) => <code>{container}</code> },
  {
    title: "Space",
    cell: ({ space }) => (
      <TextLink to="/operator/spaces/$spaceId" params={{ spaceId: space }} className="break-all">
        {space}
      </TextLink>
    ),
  },
  { title: "URL", cell: ({ url }) => <code className="break-all">{url}</code> },
  {
    title: "Headers",
    cell: ({ header_names }) =>
      header_names.length === 0 ? <span className="text-muted">none</span> : <code>{header_names.join(", ")}</code>,
  },
  { title: "State", cell: ({ enabled }) => <Status word={enabled ? "enabled" : "disabled"} /> },
  {
    title: "Last changed",
    cell: ({ updated_at, updated_by }) => (
      <span>
        <Time at={updated_at} />
        {updated_by && (
          <>
            {" by "}
            <PersonName of={updated_by} />
          </>
        )}
      </span>
    ),
  },
  {
    title: "Actions",
    actions: true,
    cell: (mapping) => (
      <>
        <Button kind="quiet" aria-label={`Edit ${mapping.container} of ${mapping.space}`} onClick={() => edit(mapping)}>
          Edit
        </Button>
        <Button
          kind="quiet"
          aria-label={`Remove ${mapping.container} of ${mapping.space}`}
          onClick={() => remove(mapping)}
        >
          Remove
        </Button>
      </>
    ),
  },
]

export function ContainersPage() {
  const { space, container, offset = 0 } = route.useSearch()
  const mappings = useRead("listContainerMappings", { query: { space, container, limit: PAGE_ROWS, offset } })
  const [editing, setEditing] = useState<ContainerMapping | "new" | null>(null)
  const [removing, setRemoving] = useState<ContainerMapping | null>(null)
  return (
    <Page
      {...settingsPages.containers}
      action={
        <Button kind="primary" icon="plus" onClick={() => setEditing("new")}>
          Map a container
        </Button>
      }
    >
      <FilterBar set={{ space, container }}>
        <TextFilter label="Space slug" name="space" value={space} wide />
        <TextFilter label="Container" name="container" value={container} />
      </FilterBar>
      <List
        caption="Mappings of spaces to containers"
        of={mappings}
        columns={columnsOf({ edit: setEditing, remove: setRemoving })}
        rowKey={(mapping) => `${mapping.space} ${mapping.container}`}
        empty={
          <EmptyState
            title="No containers match these filters"
            curl={curl("/api/admin/system/containers/mappings", {
              method: "PUT",
              body: { container: "shell", space: "spc_…", url: "https://containers.example.com/mcp" },
            })}
          >
            A container is a Streamable HTTP MCP server that you run. Map it to a space to give its tools to the agents
            there.
          </EmptyState>
        }
      />
      {removing && (
        <Suspense>
          <RemoveMapping of={removing} onClose={() => setRemoving(null)} />
        </Suspense>
      )}
      {editing && (
        <Suspense>
          <MappingForm of={editing === "new" ? undefined : editing} onClose={() => setEditing(null)} />
        </Suspense>
      )}
    </Page>
  )
}

import { useSearch } from "@tanstack/react-router"
import { Suspense, useState } from "react"
import type { McpServer, McpServerFailure } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { wholeCurl } from "../ui/commands.ts"
import { EmptyState } from "../ui/empty-state.tsx"
import { useFilters } from "../ui/filter-bar.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { Section } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { Status } from "../ui/status.tsx"
import { Table } from "../ui/table.tsx"
import { Time } from "../ui/values.tsx"
import { CheckServer } from "./check-server.tsx"
import { RowActions } from "./row-actions.tsx"
import { isChangeable, type SpaceTabProps, useSpaceInput } from "./space-parts.ts"

const McpDialog = lazyPart(() => import("./mcp-dialog.tsx").then((module) => ({ default: module.McpServerDialog })))
const RemoveDialog = lazyPart(() =>
  import("./remove-dialog.tsx").then((module) => ({ default: module.RemoveFromSpaceDialog })),
)

const EXAMPLE = { url: "https://docs.example.com/mcp", headers: { Authorization: "Bearer {{secrets.DOCS_TOKEN}}" } }

const curlOf = (space: string) => wholeCurl(`/v1/spaces/${space}/mcp-servers/docs`, { method: "PUT", body: EXAMPLE })

type Opened = { kind: "edit"; server: McpServer | null } | { kind: "delete"; server: McpServer }

/** Whether turns need the server, and since when it has not answered them. */
function ServerState({ optional, failure }: { optional: boolean; failure: McpServerFailure | undefined }) {
  if (!failure) return <span className="text-muted">{optional ? "optional" : "required"}</span>
  return (
    <span title={failure.error}>
      <Status word="failing" tone="bad" /> since <Time at={failure.failing_since} />
    </span>
  )
}

export function McpTab({ space }: SpaceTabProps) {
  const servers = useRead("listMcpServers", useSpaceInput())
  const failures = useRead("listMcpServerFailures", useSpaceInput())
  const { server: checked } = useSearch({ from: "/app/spaces/$spaceId" })
  const choose = useFilters()
  const [opened, setOpened] = useState<Opened | null>(null)
  const can = isChangeable(space)
  const one = servers.data?.items.find(({ name }) => name === checked)
  return (
    <>
      <Section
        title="MCP servers"
        action={
          can && (
            <Button does="putMcpServer" icon="plus" onClick={() => setOpened({ kind: "edit", server: null })}>
              Add a server
            </Button>
          )
        }
      >
        <Read of={servers}>
          {({ items }) => (
            <Table
              caption="MCP servers of the space"
              rows={items}
              rowKey={({ name }) => name}
              empty={
                <EmptyState title="No MCP servers yet" curl={curlOf(space.space_id)}>
                  Add an MCP server to give its tools to the agent.
                </EmptyState>
              }
              columns={[
                { title: "Server", cell: ({ name }) => <code className="font-strong">{name}</code> },
                { title: "URL", cell: ({ url }) => <code className="break-all">{url}</code> },
                {
                  title: "State",
                  cell: ({ name, required }) => (
                    <ServerState
                      optional={required === false}
                      failure={failures.data?.items.find(({ server }) => server === name)}
                    />
                  ),
                },
                {
                  title: "Tools",
                  cell: ({ allowed_tools }) => (allowed_tools ? allowed_tools.join(", ") || "none" : "all"),
                },
                {
                  title: "Headers",
                  cell: ({ headers }) => Object.keys(headers ?? {}).join(", ") || "–",
                },
                {
                  title: "Actions",
                  actions: true,
                  cell: (server) =>
                    can && (
                      <span className="inline-flex items-center gap-1">
                        <Button
                          does="checkMcpServer"
                          aria-pressed={server.name === checked}
                          onClick={() => choose({ server: server.name })}
                        >
                          Check
                        </Button>
                        <RowActions
                          of={`the server ${server.name}`}
                          does={{ edit: "putMcpServer", delete: "deleteMcpServer" }}
                          onEdit={() => setOpened({ kind: "edit", server })}
                          onDelete={() => setOpened({ kind: "delete", server })}
                        />
                      </span>
                    ),
                },
              ]}
            />
          )}
        </Read>
      </Section>
      {one && can && <CheckServer key={one.name} name={one.name} />}
      <Suspense>
        {opened?.kind === "edit" && (
          <McpDialog
            server={opened.server}
            taken={servers.data?.items.map(({ name }) => name) ?? []}
            onClose={() => setOpened(null)}
          />
        )}
        {opened?.kind === "delete" && (
          <RemoveDialog
            operation="deleteMcpServer"
            what="server"
            name={opened.server.name}
            about="Turns that start after this cannot use its tools."
            onClose={() => setOpened(null)}
          />
        )}
      </Suspense>
    </>
  )
}

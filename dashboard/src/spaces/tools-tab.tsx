import { useSearch } from "@tanstack/react-router"
import { Suspense, useState } from "react"
import type { Tool } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { wholeCurl } from "../ui/commands.ts"
import { EmptyState } from "../ui/empty-state.tsx"
import { useFilters } from "../ui/filter-bar.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { Section } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { Table } from "../ui/table.tsx"
import { RowActions } from "./row-actions.tsx"
import { isChangeable, type SpaceTabProps, useSpaceInput } from "./space-parts.ts"
import { TryTool } from "./try-tool.tsx"

const ToolDialog = lazyPart(() => import("./tool-dialog.tsx").then((module) => ({ default: module.ToolDialog })))
const RemoveDialog = lazyPart(() =>
  import("./remove-dialog.tsx").then((module) => ({ default: module.RemoveFromSpaceDialog })),
)

const EXAMPLE = {
  description: "Finds an order by its number.",
  input_schema: { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] },
  request: {
    method: "GET",
    url: "https://shop.example.com/orders/{{input.order_id}}",
    headers: { Authorization: "Bearer {{secrets.SHOP_TOKEN}}" },
  },
}

const curlOf = (space: string) => wholeCurl(`/v1/spaces/${space}/tools/lookup_order`, { method: "PUT", body: EXAMPLE })

type Opened = { kind: "edit"; tool: Tool | null } | { kind: "delete"; tool: Tool }

export function ToolsTab({ space }: SpaceTabProps) {
  const tools = useRead("listTools", useSpaceInput())
  const { tool: tried } = useSearch({ from: "/app/spaces/$spaceId" })
  const choose = useFilters()
  const [opened, setOpened] = useState<Opened | null>(null)
  const can = isChangeable(space)
  const one = tools.data?.items.find(({ name }) => name === tried)
  return (
    <>
      <Section
        title="Tools"
        action={
          can && (
            <Button does="putTool" icon="plus" onClick={() => setOpened({ kind: "edit", tool: null })}>
              Add a tool
            </Button>
          )
        }
      >
        <Read of={tools}>
          {({ items }) => (
            <Table
              caption="Tools of the space"
              rows={items}
              rowKey={({ name }) => name}
              empty={
                <EmptyState title="No tools yet" curl={curlOf(space.space_id)}>
                  A tool is an HTTP request to your API that the agent can send.
                </EmptyState>
              }
              columns={[
                {
                  title: "Tool",
                  cell: ({ name, description }) => (
                    <span className="inline-flex max-w-[48ch] flex-col">
                      <code className="font-strong">{name}</code>
                      <span className="line-clamp-2 text-muted text-xs">{description}</span>
                    </span>
                  ),
                },
                {
                  title: "Request",
                  cell: ({ request }) =>
                    request ? (
                      <code className="break-all">
                        {request.method} {request.url}
                      </code>
                    ) : (
                      "Taken by your worker"
                    ),
                },
                { title: "Timeout", right: true, cell: ({ timeout_seconds }) => `${timeout_seconds ?? 30} s` },
                {
                  title: "Actions",
                  actions: true,
                  cell: (tool) =>
                    can && (
                      <span className="inline-flex items-center gap-1">
                        <Button
                          does="testTool"
                          aria-pressed={tool.name === tried}
                          onClick={() => choose({ tool: tool.name })}
                        >
                          Test
                        </Button>
                        <RowActions
                          of={`the tool ${tool.name}`}
                          does={{ edit: "putTool", delete: "deleteTool" }}
                          onEdit={() => setOpened({ kind: "edit", tool })}
                          onDelete={() => setOpened({ kind: "delete", tool })}
                        />
                      </span>
                    ),
                },
              ]}
            />
          )}
        </Read>
      </Section>
      {one && can && <TryTool key={one.name} tool={one} />}
      <Suspense>
        {opened?.kind === "edit" && (
          <ToolDialog
            tool={opened.tool}
            taken={tools.data?.items.map(({ name }) => name) ?? []}
            onClose={() => setOpened(null)}
          />
        )}
        {opened?.kind === "delete" && (
          <RemoveDialog
            operation="deleteTool"
            what="tool"
            name={opened.tool.name}
            about="Turns that start after this cannot use it. Older versions of the configuration still show it."
            onClose={() => setOpened(null)}
          />
        )}
      </Suspense>
    </>
  )
}

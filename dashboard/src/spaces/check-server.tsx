import { useEffect } from "react"
import type { McpCheck } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { Json } from "../ui/code-block.tsx"
import { ErrorState } from "../ui/error-state.tsx"
import { Section } from "../ui/page.tsx"
import { useRefusal } from "../ui/rights.ts"
import { Skeleton } from "../ui/skeleton.tsx"
import { Status } from "../ui/status.tsx"
import { Table } from "../ui/table.tsx"
import { useSpaceInput } from "./space-parts.ts"

/** Connects to an MCP server as a turn would, and lists its tools. Starts when it is rendered. */
export function CheckServer({ name }: { name: string }) {
  const { path, query } = useSpaceInput()
  const { mutate, data, error, isPending } = useChange("checkMcpServer", { changes: [] })
  const refusal = useRefusal("checkMcpServer")
  const check = () => mutate({ path: { ...path, name }, query })
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each server
  useEffect(() => {
    if (!refusal) check()
  }, [])
  return (
    <Section
      title={`Check of ${name}`}
      action={
        <Button does="checkMcpServer" busy={isPending} onClick={check}>
          Check again
        </Button>
      }
    >
      <div aria-live="polite" className="flex flex-col gap-3">
        {error && <ErrorState error={error} />}
        {data ? <CheckResult of={data} /> : refusal ? <p>{refusal}</p> : !error && <Skeleton rows={3} />}
      </div>
    </Section>
  )
}

const CHANGES: Record<McpCheck["changed"][number]["change"], string> = {
  added: "is new",
  removed: "was removed",
  description: "has a new description",
  output_schema: "has a new output schema",
  input_schema: "has a new input schema",
}

const Changed = ({ tools }: { tools: McpCheck["changed"] }) => (
  <div className="flex flex-col gap-1" role="note">
    <strong>Changed since the server was saved</strong>
    <ul className="list-disc pl-5">
      {tools.map(({ name, change, offered }) => (
        <li key={name}>
          <code>{name}</code> {CHANGES[change]}: {offered ? "agents can still use it" : "agents cannot use it"}.
        </li>
      ))}
    </ul>
    <span className="text-muted">Save the server again without changes to accept its current tools.</span>
  </div>
)

const CheckResult = ({ of: { ok, error, tools, changed, duration_ms } }: { of: McpCheck }) => (
  <>
    <div className="flex flex-wrap items-center gap-3">
      <Status word={ok ? "ok" : "error"} />
      <span className="text-muted">
        {ok ? `${tools.length} tools` : "Failed"} in {duration_ms.toLocaleString()} ms
      </span>
      {error && <span className="min-w-0 break-words">{error}</span>}
    </div>
    {changed.length > 0 && <Changed tools={changed} />}
    {tools.length > 0 && (
      <Table
        caption="Tools of this server that the agent can use"
        rows={tools}
        rowKey={({ name }) => name}
        columns={[
          { title: "Tool", cell: ({ name }) => <code>{name}</code> },
          { title: "Description", cell: ({ description }) => <span className="line-clamp-3">{description}</span> },
          {
            title: "Input",
            cell: ({ name, input_schema }) => (
              <details>
                <summary className="text-accent">Schema</summary>
                <Json value={input_schema} label={`Input schema of ${name}`} />
              </details>
            ),
          },
        ]}
      />
    )}
  </>
)

import type { McpServer, PutMcpServer } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { Dialog, DismissButton } from "../ui/dialog.tsx"
import { useDraft } from "../ui/draft.ts"
import { ErrorState } from "../ui/error-state.tsx"
import { Checkbox, Form, TextArea, TextInput } from "../ui/field.tsx"
import { useFilters } from "../ui/filter-bar.tsx"
import { jsonText, readJson } from "../ui/json-text.ts"
import { toast } from "../ui/toast.tsx"
import { ApprovalFields, approvalDraftOf, approvalFault, approvalOf } from "./approval-fields.tsx"
import { IdentityField } from "./identity-field.tsx"
import { useSpaceInput } from "./space-parts.ts"

interface McpServerDialogProps {
  /** Null: adds a new one. */
  server: McpServer | null
  taken: string[]
  onClose: () => void
}

export function McpServerDialog({ server, taken, onClose }: McpServerDialogProps) {
  const { path, query } = useSpaceInput()
  const draft = useDraft(`mcp.${path.space_id}.${server?.name ?? ""}`)
  const put = useChange("putMcpServer", {
    changes: ["listMcpServers", "listMcpServerFailures", "getSpace", "listConfigVersions"],
    draft,
  })
  const choose = useFilters()
  const [name, setName] = draft.useField("name", server?.name ?? "")
  const [url, setUrl] = draft.useField("url", server?.url ?? "")
  const [headers, setHeaders] = draft.useField("headers", jsonText(server?.headers))
  const [allowed, setAllowed] = draft.useField("allowed", server?.allowed_tools?.join("\n") ?? "")
  const [approval, setApproval] = draft.useField("approval", approvalDraftOf(server?.approval))
  const [signed, setSigned] = draft.useField("signed", server?.identity !== "none")
  // A new server is optional: a turn that lacks its tools is better than none.
  const [required, setRequired] = draft.useField("required", server !== null && server.required !== false)
  const read = readJson(headers)
  const isTaken = server === null && taken.includes(name)
  const send = () => {
    const names = allowed.split(/[\s,]+/).filter(Boolean)
    const body = {
      url,
      headers: read.value,
      identity: signed ? undefined : "none",
      allowed_tools: names.length > 0 ? names : undefined,
      required: required ? undefined : false,
      approval: approvalOf(approval),
      approvals: server?.approvals,
    } as PutMcpServer
    put.mutate(
      { path: { ...path, name }, query, body },
      {
        onSuccess: () => {
          toast(`The server ${name} is saved.`)
          choose({ server: name })
          onClose()
        },
      },
    )
  }
  return (
    <Dialog
      draft={draft}
      open
      onClose={onClose}
      title={server ? `Edit the server ${server.name}` : "Add an MCP server"}
      about="The server is checked after saving."
    >
      <Form
        label={server ? "Edit an MCP server" : "Add an MCP server"}
        onSubmit={send}
        actions={
          <>
            <Button
              kind="primary"
              type="submit"
              busy={put.isPending}
              disabled={name === "" || isTaken || read.error !== undefined || approvalFault(approval) !== undefined}
            >
              Save the server
            </Button>
            <DismissButton />
          </>
        }
      >
        <TextInput
          label="Name"
          hint="Its tools get names of the form name__tool."
          placeholder="docs"
          name="name"
          autoComplete="off"
          disabled={server !== null}
          error={isTaken ? "A server with this name exists. Edit that server instead." : put.error}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <TextInput
          label="URL"
          hint="The Streamable HTTP endpoint of the server."
          placeholder="https://docs.example.com/mcp"
          name="url"
          autoComplete="off"
          error={put.error}
          value={url}
          onChange={({ target }) => setUrl(target.value)}
        />
        <TextArea
          mono
          label="Headers"
          hint='JSON, such as {"Authorization": "Bearer {{secrets.DOCS_TOKEN}}"}. {{end_user.ref}} and {{metadata.KEY}} are values of the turn.'
          name="headers"
          rows={3}
          error={read.error ?? put.error}
          value={headers}
          onChange={({ target }) => setHeaders(target.value)}
        />
        <TextArea
          mono
          label="Allowed tools"
          hint="The names that the server uses, one per line. Empty: all tools."
          name="allowed_tools"
          rows={3}
          error={put.error}
          value={allowed}
          onChange={({ target }) => setAllowed(target.value)}
        />
        <Checkbox
          label="Required"
          hint="Turns fail while the server cannot be reached. Otherwise they continue without its tools."
          checked={required}
          onChange={({ target }) => setRequired(target.checked)}
        />
        <IdentityField value={signed} onChange={setSigned} />
        <ApprovalFields
          hint="For all tools of the server. Approvals of single tools, set with the API, stay."
          value={approval}
          onChange={setApproval}
          error={put.error}
        />
        {put.error && <ErrorState error={put.error} />}
      </Form>
    </Dialog>
  )
}

import type { PutTool, Tool } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { PutToolRules } from "../api/rules.ts"
import { Button } from "../ui/button.tsx"
import { Dialog, DismissButton } from "../ui/dialog.tsx"
import { useDraft } from "../ui/draft.ts"
import { ErrorState } from "../ui/error-state.tsx"
import { Checkbox, Form, Select, TextArea, TextInput } from "../ui/field.tsx"
import { useFilters } from "../ui/filter-bar.tsx"
import { jsonText, readJson } from "../ui/json-text.ts"
import { SchemaFields } from "../ui/schema-fields.tsx"
import { toast } from "../ui/toast.tsx"
import { ApprovalFields, approvalDraftOf, approvalFault, approvalOf } from "./approval-fields.tsx"
import { IdentityField } from "./identity-field.tsx"
import { PairFields } from "./pair-fields.tsx"
import { useSpaceInput } from "./space-parts.ts"

const NEW_SCHEMA = { type: "object", properties: {}, additionalProperties: false }

interface ToolDialogProps {
  /** Null: adds a new one. */
  tool: Tool | null
  taken: string[]
  onClose: () => void
}

const draftOf = (tool: Tool | null) => ({
  name: tool?.name ?? "",
  description: tool?.description ?? "",
  method: tool?.request?.method ?? "GET",
  url: tool?.request?.url ?? "",
  input_schema: jsonText(tool?.input_schema ?? NEW_SCHEMA),
  headers: jsonText(tool?.request?.headers),
  query: jsonText(tool?.request?.query),
  body: jsonText(tool?.request?.body),
  timeout: tool?.timeout_seconds === undefined ? "" : String(tool.timeout_seconds),
})

const JSONS = ["input_schema", "headers", "query", "body"] as const

export function ToolDialog({ tool, taken, onClose }: ToolDialogProps) {
  const { path, query } = useSpaceInput()
  const draft = useDraft(`tool.${path.space_id}.${tool?.name ?? ""}`)
  const put = useChange("putTool", { changes: ["listTools", "getSpace", "listConfigVersions"], draft })
  const choose = useFilters()
  const [typed, setTyped] = draft.useField("tool", draftOf(tool))
  const jsons = Object.fromEntries(JSONS.map((name) => [name, readJson(typed[name])])) as Record<
    (typeof JSONS)[number],
    ReturnType<typeof readJson>
  >
  const [approval, setApproval] = draft.useField("approval", approvalDraftOf(tool?.approval))
  const [later, setLater] = draft.useField("later", tool?.answers_later === true)
  const [signed, setSigned] = draft.useField("signed", tool?.identity !== "none")
  const isTaken = tool === null && taken.includes(typed.name)
  const bind = (name: keyof typeof typed, fault: string) => ({
    name: fault,
    error: put.error,
    value: typed[name],
    onChange: ({ target }: { target: { value: string } }) => setTyped({ ...typed, [name]: target.value }),
  })
  const bindJson = (name: (typeof JSONS)[number], fault: string) => ({
    name: fault,
    error: put.error,
    value: typed[name],
    onChange: (text: string) => setTyped((old) => ({ ...old, [name]: text })),
  })
  // A worker takes the calls of a tool without a request. A typed URL gives it one.
  const isWork = tool?.request === null && typed.url === ""
  const send = () => {
    const body = {
      description: typed.description,
      input_schema: jsons.input_schema.value,
      request: isWork
        ? null
        : {
            method: typed.method,
            url: typed.url,
            headers: jsons.headers.value,
            query: jsons.query.value,
            body: jsons.body.value,
          },
      approval: approvalOf(approval),
      answers_later: later || undefined,
      identity: signed ? undefined : "none",
      timeout_seconds: typed.timeout === "" ? undefined : Number(typed.timeout),
    } as PutTool
    put.mutate(
      { path: { ...path, name: typed.name }, query, body },
      {
        onSuccess: ({ name }) => {
          toast(`The tool ${name} is saved.`)
          choose({ tool: name })
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
      title={tool ? `Edit the tool ${tool.name}` : "Add a tool"}
      about="Placeholders: {{input.NAME}} is a value from the model, {{secrets.NAME}} is a secret of the space, {{end_user.ref}} and {{metadata.KEY}} are values of the turn."
    >
      <Form
        label={tool ? "Edit a tool" : "Add a tool"}
        onSubmit={send}
        actions={
          <>
            <Button
              kind="primary"
              type="submit"
              busy={put.isPending}
              disabled={
                typed.name === "" ||
                isTaken ||
                approvalFault(approval) !== undefined ||
                JSONS.some((name) => jsons[name].error !== undefined)
              }
            >
              Save the tool
            </Button>
            <DismissButton />
          </>
        }
      >
        <TextInput
          label="Name"
          hint="A letter, then letters, digits, - and single _."
          placeholder="lookup_order"
          autoComplete="off"
          disabled={tool !== null}
          {...bind("name", "name")}
          error={isTaken ? "A tool with this name exists. Edit that tool instead." : put.error}
        />
        <TextArea
          label="Description"
          hint="What the tool does. The model reads this text."
          rows={2}
          {...bind("description", "description")}
        />
        <div className="grid grid-cols-1 gap-4 sm:grid-cols-[120px_minmax(0,1fr)]">
          <Select label="Method" options={PutToolRules["request.method"].words} {...bind("method", "request.method")} />
          <TextInput
            label="URL"
            placeholder="https://shop.example.com/orders/{{input.order_id}}"
            autoComplete="off"
            {...bind("url", "request.url")}
          />
        </div>
        <SchemaFields label="Input" {...bindJson("input_schema", "input_schema")} />
        <PairFields
          label="Headers"
          what="header"
          example={["Authorization", "Bearer {{secrets.SHOP_TOKEN}}"]}
          hint="Store credentials as secrets of the space."
          {...bindJson("headers", "request.headers")}
        />
        <PairFields
          label="Query"
          what="query parameter"
          example={["page", "{{input.page}}"]}
          hint="A parameter without an input value is omitted."
          {...bindJson("query", "request.query")}
        />
        <PairFields
          label="Body"
          what="body field"
          example={["order_id", "{{input.order_id}}"]}
          hint="Without fields, POST, PUT and PATCH send the input."
          {...bindJson("body", "request.body")}
        />
        <TextInput
          label="Timeout (seconds)"
          hint={`Per call. Default ${PutToolRules.timeout_seconds.default}.`}
          inputMode="numeric"
          {...bind("timeout", "timeout_seconds")}
        />
        <Checkbox
          label="Answers later"
          hint="The server may respond with 202. It gets a token to send the result."
          checked={later}
          onChange={({ target }) => setLater(target.checked)}
        />
        <IdentityField value={signed} onChange={setSigned} />
        <ApprovalFields
          hint="A call that waits runs after a person has allowed it."
          value={approval}
          onChange={setApproval}
          error={put.error}
        />
        {put.error && <ErrorState error={put.error} />}
      </Form>
    </Dialog>
  )
}

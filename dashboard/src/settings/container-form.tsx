import type { ContainerMapping, MappingUpsert } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { EditDialog } from "../operator/edit-dialog.tsx"
import { useDraft } from "../ui/draft.ts"
import { Checkbox, Select, TextArea, TextInput } from "../ui/field.tsx"
import { toast } from "../ui/toast.tsx"

/** Parses lines of the form `Name: value` into headers. */
const headersOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split("\n")
      .filter((line) => line.includes(":"))
      .map((line) => [line.slice(0, line.indexOf(":")).trim(), line.slice(line.indexOf(":") + 1).trim()]),
  )

/** Creates or edits the mapping of a space to a container. */
export function MappingForm({ of, onClose }: { of?: ContainerMapping; onClose: () => void }) {
  const draft = useDraft(`container.${of?.space ?? "new"}.${of?.container ?? ""}`, { version: of?.version })
  const change = useChange("putContainerMapping", { changes: ["listContainerMappings", "getSystem"], draft })
  const [container, setContainer] = draft.useField("container", of?.container ?? "")
  const [space, setSpace] = draft.useField("space", of?.space ?? "")
  const [url, setUrl] = draft.useField("url", of?.url ?? "")
  const [enabled, setEnabled] = draft.useField("enabled", of?.enabled ?? true)
  const [what, setWhat] = draft.useField("what", of ? "keep" : "none")
  const [headers, setHeaders] = draft.useField("headers", "", { secret: true })
  const body: MappingUpsert = {
    container,
    space,
    url,
    enabled,
    ...(what === "set" && { headers: headersOf(headers) }),
    ...(what === "none" && { headers: null }),
  }
  const save = (ifMatch?: number) =>
    change.mutate(
      { body, ifMatch },
      {
        onSuccess: () => {
          toast(`${container} was saved. The change takes effect with the next turn.`)
          onClose()
        },
      },
    )
  return (
    <EditDialog
      draft={draft}
      title={of ? `Edit ${of.container} of ${of.space}` : "Map a container"}
      verb={of ? "Save" : "Create"}
      change={change}
      save={save}
      mine={{ url, enabled }}
      version={of?.version}
      onClose={onClose}
      disabled={!container || !space || !url || (what === "set" && Object.keys(headersOf(headers)).length === 0)}
    >
      {!of && (
        <div className="grid gap-4 sm:grid-cols-2">
          <TextInput
            label="Container"
            name="container"
            hint="A name that is unique in the space"
            value={container}
            error={change.error}
            onChange={({ target }) => setContainer(target.value)}
          />
          <TextInput
            label="Space"
            name="space"
            hint="Space slug, spc_…"
            value={space}
            error={change.error}
            onChange={({ target }) => setSpace(target.value.trim())}
          />
        </div>
      )}
      <TextInput
        label="URL"
        name="url"
        type="url"
        hint="The Streamable HTTP endpoint of the container"
        value={url}
        error={change.error}
        onChange={({ target }) => setUrl(target.value)}
      />
      <Select
        label="Headers"
        hint={
          of && of.header_names.length > 0
            ? `Stored: ${of.header_names.join(", ")}. The values are never shown.`
            : undefined
        }
        value={what}
        options={[
          ...(of ? [["keep", "Keep"] as const] : []),
          ["none", "None"] as const,
          ["set", "Replace all"] as const,
        ]}
        onChange={({ target }) => setWhat(target.value)}
      />
      {what === "set" && (
        <TextArea
          mono
          label="All headers"
          name="headers"
          hint="One per line: Authorization: Bearer …"
          autoComplete="off"
          value={headers}
          error={change.error}
          onChange={({ target }) => setHeaders(target.value)}
        />
      )}
      <Checkbox
        label="Enabled"
        hint="Turns of the space can use the tools of the container."
        checked={enabled}
        onChange={({ target }) => setEnabled(target.checked)}
      />
    </EditDialog>
  )
}

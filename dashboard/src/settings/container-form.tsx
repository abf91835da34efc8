import { useState } from "react"
import type { ContainerMapping, MappingUpsert } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { OperatorEditDialog } from "../operator/edit-dialog.tsx"
import { Checkbox, Select, TextArea, TextInput } from "../ui/field.tsx"
import { toast } from "../ui/toast.tsx"

/** `Name: value` lines as headers. */
const headersOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split("\n")
      .filter((line) => line.includes(":"))
      .map((line) => [line.slice(0, line.indexOf(":")).trim(), line.slice(line.indexOf(":") + 1).trim()]),
  )

/** Maps a space to a container, or edits such a mapping. */
export function OperatorMappingForm({ of, onClose }: { of?: ContainerMapping; onClose: () => void }) {
  const change = useChange("putContainerMapping", { changes: ["listContainerMappings", "getSystem"] })
  const [container, setContainer] = useState(of?.container ?? "")
  const [space, setSpace] = useState(of?.space ?? "")
  const [url, setUrl] = useState(of?.url ?? "")
  const [enabled, setEnabled] = useState(of?.enabled ?? true)
  const [what, setWhat] = useState(of ? "keep" : "none")
  const [headers, setHeaders] = useState("")
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
          toast(`${container} is saved. It binds the next turn.`)
          onClose()
        },
      },
    )
  return (
    <OperatorEditDialog
      title={of ? `Edit ${of.container} of ${of.space}` : "Map a container"}
      verb={of ? "Save" : "Map it"}
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
            hint="Its name among those of the space"
            value={container}
            error={change.error}
            onChange={({ target }) => setContainer(target.value)}
          />
          <TextInput
            label="Space"
            name="space"
            hint="Its slug, spc_…"
            value={space}
            error={change.error}
            onChange={({ target }) => setSpace(target.value.trim())}
          />
        </div>
      )}
      <TextInput
        label="Address"
        name="url"
        type="url"
        hint="Its Streamable HTTP endpoint"
        value={url}
        error={change.error}
        onChange={({ target }) => setUrl(target.value)}
      />
      <Select
        label="Headers"
        hint={
          of && of.header_names.length > 0
            ? `Stored: ${of.header_names.join(", ")}. Their values are never shown.`
            : undefined
        }
        value={what}
        options={[
          ...(of ? [["keep", "As they are"] as const] : []),
          ["none", "None"] as const,
          ["set", "Set all of them"] as const,
        ]}
        onChange={({ target }) => setWhat(target.value)}
      />
      {what === "set" && (
        <TextArea
          mono
          label="All headers"
          name="headers"
          hint="One a line: Authorization: Bearer …"
          autoComplete="off"
          value={headers}
          error={change.error}
          onChange={({ target }) => setHeaders(target.value)}
        />
      )}
      <Checkbox
        label="Enabled"
        hint="The turns of the space have its tools."
        checked={enabled}
        onChange={({ target }) => setEnabled(target.checked)}
      />
    </OperatorEditDialog>
  )
}

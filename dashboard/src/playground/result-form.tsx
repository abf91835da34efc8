import type { CreateChatTurn } from "../api/operations.ts"
import type { Draft } from "../ui/draft.ts"
import { Select, TextArea } from "../ui/field.tsx"
import { jsonText, readJson } from "../ui/json-text.ts"

type Format = NonNullable<CreateChatTurn["response_format"]>

const EXAMPLE = jsonText({ type: "object", properties: { answer: { type: "string" } }, required: ["answer"] })
const NOTHING = { type: "" as Format["type"] | "", schema: EXAMPLE }

const CHOICES: [Format["type"] | "", string][] = [
  ["", "Space default"],
  ["text", "Any text"],
  ["json_object", "A JSON object"],
  ["json_schema", "JSON that fits a schema"],
]

/** The form of a turn's result. `isReady`: false while the typed schema is not JSON. `fields`: the controls. */
export function useResultForm(draft: Draft) {
  const [typed, setTyped] = draft.useField("format", NOTHING)
  const { value, error: fault } = readJson(typed.schema)
  const format = formatOf(typed.type, value)
  const fields = (error: unknown) => (
    <>
      <Select
        label="Result"
        name="response_format.type"
        error={error}
        options={CHOICES}
        value={typed.type}
        onChange={({ target }) => setTyped({ ...typed, type: target.value as Format["type"] | "" })}
      />
      {typed.type === "json_schema" && (
        <TextArea
          label="Schema"
          name="response_format.schema"
          mono
          rows={8}
          spellCheck={false}
          error={error}
          hint={fault ?? "The JSON Schema that the result must fit."}
          value={typed.schema}
          onChange={({ target }) => setTyped({ ...typed, schema: target.value })}
        />
      )}
    </>
  )
  return { format, isReady: typed.type !== "json_schema" || fault === undefined, fields }
}

function formatOf(type: Format["type"] | "", schema: unknown): { response_format?: Format } {
  if (type === "") return {}
  if (type !== "json_schema") return { response_format: { type } }
  return { response_format: { type, name: "result", schema: (schema ?? {}) as Record<string, unknown> } }
}

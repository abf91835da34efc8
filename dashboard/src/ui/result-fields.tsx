import type { ResponseFormatInput } from "../api/operations.ts"
import { Select } from "./field.tsx"
import { jsonText, readJson } from "./json-text.ts"
import { SchemaFields } from "./schema-fields.tsx"

type Type = ResponseFormatInput["type"]

/** The form of a result while it is edited. */
export interface ResultDraft {
  /** Empty: none is chosen. */
  type: Type | ""
  schema: string
}

/** Also the label of the default of a space. */
export const ANY_TEXT = "Any text"

const EXAMPLE = { type: "object", properties: { answer: { type: "string" } }, required: ["answer"] }

export const resultDraftOf = (format?: ResponseFormatInput): ResultDraft => ({
  type: format?.type ?? "",
  schema: jsonText(format?.type === "json_schema" ? format.schema : EXAMPLE),
})

/** The form that was typed; undefined if none is chosen. `base`: keeps its parts that the fields do not show. */
export function formatOf({ type, schema }: ResultDraft, base?: ResponseFormatInput): ResponseFormatInput | undefined {
  if (type === "") return undefined
  if (type !== "json_schema") return { type }
  const known = base?.type === "json_schema" ? base : { type, name: "result" }
  return { ...known, schema: (readJson(schema).value ?? {}) as Record<string, unknown> }
}

/** True unless the typed schema is needed and is not JSON. */
export const isResultReady = ({ type, schema }: ResultDraft) =>
  type !== "json_schema" || readJson(schema).error === undefined

interface ResultFieldsProps {
  value: ResultDraft
  onChange: (value: ResultDraft) => void
  error: unknown
  /** The label of the choice of no form. */
  none: string
  hint?: string
}

/** The form of a result: its type, and the schema of JSON. */
export function ResultFields({ value, onChange, error, none, hint }: ResultFieldsProps) {
  return (
    <>
      <Select
        label="Result"
        hint={hint}
        name="response_format.type"
        error={error}
        options={[
          ["", none],
          ...(none === ANY_TEXT ? [] : [["text", ANY_TEXT] as const]),
          ["json_object", "A JSON object"],
          ["json_schema", "JSON that fits a schema"],
        ]}
        value={value.type}
        onChange={({ target }) => onChange({ ...value, type: target.value as Type | "" })}
      />
      {value.type === "json_schema" && (
        <SchemaFields
          label="Schema"
          name="response_format.schema"
          error={error}
          value={value.schema}
          onChange={(schema) => onChange({ ...value, schema })}
        />
      )}
    </>
  )
}

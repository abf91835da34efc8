import type { ApprovalInput } from "../api/operations.ts"
import { choicesOf } from "../api/words.ts"
import { Select, TextArea } from "../ui/field.tsx"
import { jsonText, readJson } from "../ui/json-text.ts"

/** An approval while it is edited. The schema is kept as typed text. */
export interface ApprovalDraft {
  kind: "never" | "always" | "when"
  schema: string
}

const KINDS = choicesOf<ApprovalDraft["kind"]>({
  never: "Never: calls run at once",
  always: "Always: each call waits for a decision",
  when: "When the input fits a JSON Schema",
})
const NEW_CONDITION = { properties: {}, required: [] }

export const approvalDraftOf = (approval: ApprovalInput | undefined): ApprovalDraft =>
  typeof approval === "object"
    ? { kind: "when", schema: jsonText(approval.when) }
    : { kind: approval ?? "never", schema: jsonText(NEW_CONDITION) }

/** The approval to save. `never` is the default, so it is left out. */
export const approvalOf = ({ kind, schema }: ApprovalDraft): ApprovalInput | undefined =>
  kind === "never" ? undefined : kind === "always" ? kind : ({ when: readJson(schema).value } as ApprovalInput)

/** Why the condition cannot be saved. */
export const approvalFault = ({ kind, schema }: ApprovalDraft): string | undefined =>
  kind !== "when" ? undefined : schema.trim() === "" ? "Type a JSON Schema." : readJson(schema).error

interface ApprovalFieldsProps {
  hint: string
  value: ApprovalDraft
  onChange: (next: ApprovalDraft) => void
  error: unknown
}

/** The calls that wait until a person allows them. */
export function ApprovalFields({ hint, value, onChange, error }: ApprovalFieldsProps) {
  return (
    <>
      <Select
        label="Approval"
        name="approval"
        hint={hint}
        options={KINDS}
        error={error}
        value={value.kind}
        onChange={({ target }) => onChange({ ...value, kind: target.value as ApprovalDraft["kind"] })}
      />
      {value.kind === "when" && (
        <TextArea
          mono
          rows={6}
          label="Condition"
          name="approval.when"
          hint={`A JSON Schema, such as {"properties": {"amount": {"exclusiveMinimum": 50}}, "required": ["amount"]}.`}
          error={approvalFault(value) ?? error}
          value={value.schema}
          onChange={({ target }) => onChange({ ...value, schema: target.value })}
        />
      )}
    </>
  )
}

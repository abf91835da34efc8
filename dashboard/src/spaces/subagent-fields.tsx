import type { SubagentInput } from "../api/operations.ts"
import { ManifestInputRules, SubagentInputRules } from "../api/rules.ts"
import { Button } from "../ui/button.tsx"
import { Checkbox, TextArea, TextInput } from "../ui/field.tsx"
import { jsonText, readJson } from "../ui/json-text.ts"
import { Doubles, type JsonFieldProps, JsonViews, useJsonRows } from "../ui/json-views.tsx"
import { ModelSelect } from "./model-select.tsx"

interface Draft {
  name: string
  description: string
  instructions: string
  model: string
  /** Null: the tools of the agent that delegates. */
  tools: string[] | null
  /** Figures as typed. */
  max_steps: string
  max_output_tokens: string
}

const NAMES = ["name", "description", "instructions", "model", "tools", "max_steps", "max_output_tokens"]
const isText = (value: unknown) => value === undefined || typeof value === "string"
const isFigure = (value: unknown) => value === undefined || typeof value === "number"
const isTexts = (value: unknown) =>
  value === undefined || (Array.isArray(value) && value.every((one) => typeof one === "string"))

/** The sub-agents of a JSON list; null if it has parts that the form does not know. */
function draftsOf(text: string): Draft[] | null {
  const { value = [], error } = readJson(text)
  if (error !== undefined || !Array.isArray(value)) return null
  const known = value.every(
    (one) =>
      typeof one === "object" &&
      one !== null &&
      Object.keys(one).every((name) => NAMES.includes(name)) &&
      [one.name, one.description, one.instructions, one.model].every(isText) &&
      [one.max_steps, one.max_output_tokens].every(isFigure) &&
      isTexts(one.tools),
  )
  if (!known) return null
  return (value as Partial<SubagentInput>[]).map((one) => ({
    name: one.name ?? "",
    description: one.description ?? "",
    instructions: one.instructions ?? "",
    model: one.model ?? "",
    tools: one.tools ?? null,
    max_steps: String(one.max_steps ?? ""),
    max_output_tokens: String(one.max_output_tokens ?? ""),
  }))
}

/** Text that is not a number is sent unchanged, and the API rejects it. */
const figureOf = (text: string) => (Number.isNaN(Number(text)) ? text : Number(text))

const textOfDrafts = (drafts: readonly Draft[]) =>
  drafts.length === 0
    ? ""
    : jsonText(
        drafts.map(({ name, description, instructions, model, tools, max_steps, max_output_tokens }) => ({
          name,
          description,
          ...(instructions && { instructions }),
          ...(model && { model }),
          ...(tools !== null && { tools }),
          ...(max_steps.trim() && { max_steps: figureOf(max_steps) }),
          ...(max_output_tokens.trim() && { max_output_tokens: figureOf(max_output_tokens) }),
        })),
      )

interface SubagentFieldsProps extends JsonFieldProps {
  /** The names of the tools that a sub-agent can have. */
  tools: readonly string[]
  test: true | undefined
}

/** The sub-agents of an agent, one form for each. */
export function SubagentFields({ tools, test, ...field }: SubagentFieldsProps) {
  const { rows, set } = useJsonRows(field, { read: draftsOf, write: textOfDrafts })
  const change = (at: number, part: Partial<Draft>) =>
    rows && set(rows.map((row, index) => (index === at ? { ...row, ...part } : row)))
  const form = rows && (
    <div className="flex flex-col gap-3">
      {rows.map((row, at) => (
        <fieldset
          // biome-ignore lint/suspicious/noArrayIndexKey: a row keeps its place while it is typed
          key={at}
          aria-label={`Sub-agent ${row.name || at + 1}`}
          className="flex min-w-0 flex-col gap-3 rounded-md border border-line p-3"
        >
          <div className="grid gap-3 sm:grid-cols-2">
            <TextInput
              label="Name"
              name={`subagents.${at}.name`}
              error={field.error}
              placeholder="researcher"
              autoComplete="off"
              value={row.name}
              onChange={({ target }) => change(at, { name: target.value })}
            />
            <ModelSelect
              label="Model"
              none="The model of the agent"
              value={row.model}
              test={test}
              onChange={(model) => change(at, { model })}
            />
          </div>
          <TextInput
            label="Description"
            name={`subagents.${at}.description`}
            error={field.error}
            placeholder="When the agent should delegate to it"
            autoComplete="off"
            value={row.description}
            onChange={({ target }) => change(at, { description: target.value })}
          />
          <TextArea
            label="Instructions"
            rows={4}
            maxLength={SubagentInputRules.instructions.maxLength}
            value={row.instructions}
            onChange={({ target }) => change(at, { instructions: target.value })}
          />
          <div className="grid gap-3 sm:grid-cols-2">
            <TextInput
              label="Max steps"
              name={`subagents.${at}.max_steps`}
              error={field.error}
              hint={`Model calls per task. Default ${SubagentInputRules.max_steps.default}.`}
              inputMode="numeric"
              autoComplete="off"
              value={row.max_steps}
              onChange={({ target }) => change(at, { max_steps: target.value })}
            />
            <TextInput
              label="Max output tokens"
              name={`subagents.${at}.max_output_tokens`}
              error={field.error}
              hint="Per model call."
              inputMode="numeric"
              autoComplete="off"
              value={row.max_output_tokens}
              onChange={({ target }) => change(at, { max_output_tokens: target.value })}
            />
          </div>
          <SubagentTools chosen={row.tools} all={tools} onChange={(chosen) => change(at, { tools: chosen })} />
          <div>
            <Button kind="quiet" icon="close" onClick={() => set(rows.filter((_, index) => index !== at))}>
              Remove {row.name || "the sub-agent"}
            </Button>
          </div>
        </fieldset>
      ))}
      <Doubles names={rows.map(({ name }) => name)} />
      <div>
        <Button
          icon="plus"
          disabled={rows.length >= ManifestInputRules.subagents.maxItems}
          onClick={() =>
            set([
              ...rows,
              {
                name: "",
                description: "",
                instructions: "",
                model: "",
                tools: null,
                max_steps: "",
                max_output_tokens: "",
              },
            ])
          }
        >
          Add a sub-agent
        </Button>
      </div>
    </div>
  )
  return <JsonViews {...field} hint="The agent can delegate tasks to them." rows={10} form={form} />
}

interface SubagentToolsProps {
  chosen: string[] | null
  all: readonly string[]
  onChange: (chosen: string[] | null) => void
}

function SubagentTools({ chosen, all, onChange }: SubagentToolsProps) {
  const offered = [...new Set([...all, ...(chosen ?? [])])]
  return (
    <div className="flex flex-col gap-2">
      <Checkbox
        label="All tools of the agent"
        hint="Otherwise it has only the tools that you select."
        checked={chosen === null}
        onChange={({ target }) => onChange(target.checked ? null : [])}
      />
      {chosen !== null && (
        <div className="ml-6 grid gap-2 sm:grid-cols-2">
          {offered.map((tool) => (
            <Checkbox
              key={tool}
              label={<code>{tool}</code>}
              checked={chosen.includes(tool)}
              onChange={({ target }) =>
                onChange(target.checked ? [...chosen, tool] : chosen.filter((other) => other !== tool))
              }
            />
          ))}
        </div>
      )}
    </div>
  )
}

import type { CallerTool, CreateChatTurn } from "../api/operations.ts"
import { choicesOf } from "../api/words.ts"
import { Button, IconButton } from "../ui/button.tsx"
import type { Draft } from "../ui/draft.ts"
import { Select, TextInput } from "../ui/field.tsx"
import { jsonText, readJson } from "../ui/json-text.ts"
import { SchemaFields } from "../ui/schema-fields.tsx"

interface TypedTool {
  name: string
  description: string
  schema: string
}

type Choice = "auto" | "none" | "required"

const CHOICES = choicesOf<Choice>({
  auto: "The model decides",
  required: "It calls at least one tool",
  none: "It calls no tool",
})

const NEW: TypedTool = {
  name: "",
  description: "",
  schema: jsonText({ type: "object", properties: {}, additionalProperties: false }),
}

const NOTHING = { tools: [] as TypedTool[], choice: "auto" as Choice }

/** Tools that the user carries out by hand. `isReady`: false while one is not complete. `fields`: the controls. */
export function useCallerTools(draft: Draft) {
  const [typed, setTyped] = draft.useField("tools", NOTHING)
  const { tools, choice } = typed
  const change = (at: number, part: Partial<TypedTool>) =>
    setTyped((now) => ({ ...now, tools: now.tools.map((tool, nth) => (nth === at ? { ...tool, ...part } : tool)) }))
  const asked: Pick<CreateChatTurn, "tools" | "tool_choice"> =
    tools.length === 0 ? {} : { tools: tools.map(toolOf), ...(choice !== "auto" && { tool_choice: choice }) }
  const fields = (error: unknown) => (
    <div className="flex flex-col gap-3">
      {tools.map((tool, at) => (
        <fieldset
          // biome-ignore lint/suspicious/noArrayIndexKey: a tool keeps its place while it is typed
          key={at}
          aria-label={`Definition of tool ${at + 1}`}
          className="flex min-w-0 flex-col gap-3 rounded-md border border-line p-3"
        >
          <div className="flex items-end gap-2">
            <div className="min-w-0 grow">
              <TextInput
                label={`Tool ${at + 1}`}
                name={`tools.${at}.name`}
                error={error}
                placeholder="lookup_order"
                autoComplete="off"
                spellCheck={false}
                value={tool.name}
                onChange={({ target }) => change(at, { name: target.value })}
              />
            </div>
            <IconButton
              label={`Remove tool ${at + 1}`}
              icon="close"
              onClick={() => setTyped({ ...typed, tools: tools.filter((_, nth) => nth !== at) })}
            />
          </div>
          <TextInput
            label={`Purpose of tool ${at + 1}`}
            name={`tools.${at}.description`}
            error={error}
            placeholder="What it does. The model reads this text."
            autoComplete="off"
            value={tool.description}
            onChange={({ target }) => change(at, { description: target.value })}
          />
          <SchemaFields
            label={`Input of tool ${at + 1}`}
            name={`tools.${at}.input_schema`}
            error={error}
            value={tool.schema}
            onChange={(schema) => change(at, { schema })}
          />
        </fieldset>
      ))}
      {tools.length > 0 && (
        <Select
          label="Calls of tools"
          name="tool_choice"
          error={error}
          options={CHOICES}
          value={choice}
          onChange={({ target }) => setTyped({ ...typed, choice: target.value as Choice })}
        />
      )}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Button icon="plus" onClick={() => setTyped({ ...typed, tools: [...tools, NEW] })}>
          Add a tool by hand
        </Button>
        {tools.length === 0 && (
          <span className="text-muted text-xs">The turn ends with calls of it, and you type their results.</span>
        )}
      </div>
    </div>
  )
  const isReady = tools.every(({ name, schema }) => name !== "" && readJson(schema).error === undefined)
  return { asked, isReady, fields }
}

const toolOf = ({ name, description, schema }: TypedTool): CallerTool => ({
  name,
  ...(description && { description }),
  input_schema: (readJson(schema).value ?? {}) as Record<string, unknown>,
})

import { Button, IconButton } from "./button.tsx"
import { jsonText, readJson } from "./json-text.ts"
import { Doubles, type JsonFieldProps, JsonViews, useJsonRows } from "./json-views.tsx"

const TYPES = ["string", "number", "integer", "boolean"]

interface Parameter {
  name: string
  type: string
  description: string
  required: boolean
  /** The allowed values, separated by commas. Only for texts. */
  values: string
}

type Json = Record<string, unknown>
const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)
const hasOnly = (value: Json, names: readonly string[]) => Object.keys(value).every((name) => names.includes(name))

/** The parameters of a schema; null if it has parts that the form does not know. */
function parametersOf(text: string): Parameter[] | null {
  const { value, error } = readJson(text)
  if (error !== undefined) return null
  if (value === undefined) return []
  if (!isObject(value) || value.type !== "object") return null
  if (!hasOnly(value, ["type", "properties", "required", "additionalProperties"])) return null
  const { properties = {}, required = [], additionalProperties = false } = value
  if (!isObject(properties) || !Array.isArray(required) || additionalProperties !== false) return null
  if (!required.every((name) => typeof name === "string" && name in properties)) return null
  const parameters = Object.entries(properties).map(([name, property]) =>
    parameterOf(name, property, required.includes(name)),
  )
  return parameters.every((one) => one !== null) ? parameters : null
}

function parameterOf(name: string, property: unknown, required: boolean): Parameter | null {
  if (!isObject(property) || !hasOnly(property, ["type", "description", "enum"])) return null
  const { type, description = "", enum: values } = property
  if (typeof type !== "string" || !TYPES.includes(type) || typeof description !== "string") return null
  const isList =
    Array.isArray(values) && values.every((one) => typeof one === "string" && one !== "" && !one.includes(","))
  if (values !== undefined && !(type === "string" && isList)) return null
  return { name, type, description, required, values: isList ? values.join(", ") : "" }
}

const valuesIn = (text: string) =>
  text
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "")

function textOfParameters(parameters: readonly Parameter[]): string {
  const named = parameters.filter(({ name }) => name !== "")
  const properties = named.map(({ name, type, description, values }) => {
    const allowed = type === "string" ? valuesIn(values) : []
    return [name, { type, ...(description && { description }), ...(allowed.length > 0 && { enum: allowed }) }]
  })
  const required = [...new Set(named.filter((one) => one.required).map(({ name }) => name))]
  return jsonText({
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  })
}

const INPUT = "h-8 min-w-0 rounded-md border border-edge bg-bg px-2 placeholder:text-muted"

/** The input of a tool, parameter by parameter. */
export function SchemaFields(field: JsonFieldProps) {
  const { rows, set } = useJsonRows(field, { read: parametersOf, write: textOfParameters })
  const change = (at: number, part: Partial<Parameter>) =>
    rows && set(rows.map((row, index) => (index === at ? { ...row, ...part } : row)))
  const form = rows && (
    <div className="flex flex-col gap-3">
      {rows.map((row, at) => (
        <fieldset
          // biome-ignore lint/suspicious/noArrayIndexKey: a row keeps its place while it is typed
          key={at}
          aria-label={`Parameter ${row.name || at + 1}`}
          className="flex min-w-0 flex-col gap-2 rounded-md border border-line p-2"
        >
          <div className="grid grid-cols-[minmax(0,1fr)_auto_auto_auto] items-center gap-2">
            <input
              aria-label={`Name of parameter ${at + 1}`}
              placeholder="order_id"
              autoComplete="off"
              value={row.name}
              onChange={({ target }) => change(at, { name: target.value })}
              className={INPUT}
            />
            <select
              aria-label={`Type of parameter ${at + 1}`}
              value={row.type}
              onChange={({ target }) => change(at, { type: target.value })}
              className={INPUT}
            >
              {TYPES.map((type) => (
                <option key={type} value={type}>
                  {type}
                </option>
              ))}
            </select>
            <label className="inline-flex items-center gap-1">
              <input
                type="checkbox"
                className="size-4 accent-accent"
                checked={row.required}
                onChange={({ target }) => change(at, { required: target.checked })}
              />
              Required
            </label>
            <IconButton
              label={`Remove parameter ${at + 1}`}
              icon="close"
              onClick={() => set(rows.filter((_, index) => index !== at))}
            />
          </div>
          <input
            aria-label={`Description of parameter ${at + 1}`}
            placeholder="What it is. The model reads this text."
            autoComplete="off"
            value={row.description}
            onChange={({ target }) => change(at, { description: target.value })}
            className={INPUT}
          />
          {row.type === "string" && (
            <input
              aria-label={`Allowed values of parameter ${at + 1}`}
              placeholder="Allowed values, separated by commas (optional)"
              autoComplete="off"
              value={row.values}
              onChange={({ target }) => change(at, { values: target.value })}
              className={INPUT}
            />
          )}
        </fieldset>
      ))}
      <Doubles names={rows.map(({ name }) => name)} />
      <div>
        <Button
          icon="plus"
          onClick={() => set([...rows, { name: "", type: "string", description: "", required: true, values: "" }])}
        >
          Add a parameter
        </Button>
      </div>
    </div>
  )
  const hint =
    rows === null ? "A JSON Schema (2020-12) of type object. The form does not know some of its parts." : undefined
  return <JsonViews {...field} hint={hint} rows={7} form={form} />
}

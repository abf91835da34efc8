import { nameOf, type Schema } from "./document.ts"
import { html, line, type Markup } from "./markup.ts"

/**
 * A schema's fields as a table; objects within are rows of their own, named by their path. Of an answer, that a field is always
 * there goes without saying.
 */
export function fieldTable(schema: Schema, { answer = false } = {}): Markup | string {
  const all = rowsOf(schema, "")
  const rows = answer && all.every(({ required }) => required) ? all.map((row) => ({ ...row, required: false })) : all
  return rows.length > 0 ? table(rows) : ""
}

export interface Row {
  name: string
  required: boolean
  schema: Schema
  description: string | undefined
}

export function table(rows: Row[]): Markup {
  return html`<div class="scroll"><table>
<thead><tr><th>Field</th><th>Type</th><th>Meaning</th></tr></thead>
<tbody>${rows.map(
    ({ name, required, schema, description }) => html`<tr>
<td><code>${name}</code>${required && html` <span class="required">required</span>`}</td>
<td>${typeOf(schema)}</td>
<td>${description ? line(description) : ""} ${boundsOf(schema)}</td></tr>`,
  )}</tbody></table></div>`
}

function rowsOf(schema: Schema, prefix: string): Row[] {
  const required = new Set(schema.required)
  return Object.entries(schema.properties ?? {}).flatMap(([key, field]) => {
    const name = `${prefix}${key}`
    const own = { name, required: required.has(key), schema: field, description: field.description }
    return [own, ...innerRows(field, name)]
  })
}

function innerRows(field: Schema, name: string): Row[] {
  if (field.properties) return rowsOf(field, `${name}.`)
  if (field.items?.properties) return rowsOf(field.items, `${name}[].`)
  const inner = (field.anyOf ?? field.oneOf ?? []).find((part) => part.properties)
  return inner ? rowsOf(inner, `${name}.`) : []
}

/** A type in words, with links to the objects that have names. */
export function typeOf(schema: Schema): Markup {
  if (schema.$ref) return html`<a href="#object-${nameOf(schema.$ref)}">${nameOf(schema.$ref)}</a>`
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`
  if (schema.enum) return joined(schema.enum.map((value) => html`<code>${String(value)}</code>`))
  const parts = schema.anyOf ?? schema.oneOf
  if (parts) return joined(parts.map(typeOf))
  if (Array.isArray(schema.type)) return joined(schema.type.map((type) => typeOf({ ...schema, type })))
  if (schema.type === "array") return html`array of ${typeOf(schema.items ?? {})}`
  if (schema.type === "object" && Object.keys((schema.additionalProperties ?? {}) as object).length > 0) {
    return html`object of ${typeOf(schema.additionalProperties as Schema)}`
  }
  if (schema.format === "date-time") return html`time`
  return html`${schema.type ?? "anything"}`
}

const joined = (parts: Markup[]) => html`${parts.map((part, index) => (index === 0 ? part : html` or ${part}`))}`

/** Its bounds in words. */
function boundsOf(schema: Schema): Markup | string {
  const said = [
    range(schema.minLength, schema.maxLength, "characters"),
    range(schema.minItems, schema.maxItems, "items"),
    range(schema.minimum, limit(schema.maximum), ""),
    schema.exclusiveMinimum !== undefined && `above ${shown(schema.exclusiveMinimum)}`,
    schema.default !== undefined && schema.default !== limitless && `default ${JSON.stringify(schema.default)}`,
  ].filter((bound) => typeof bound === "string")
  return said.length > 0 ? html`<span class="bounds">${said.join(", ")}</span>` : ""
}

const shown = (value: number) =>
  Number.isInteger(value) ? String(value).replace(/\B(?=(\d{3})+$)/g, ",") : String(value)

/** The largest integers stand for no bound. */
const limitless = 2_147_483_647
const limit = (maximum: number | undefined) => (maximum !== undefined && maximum >= limitless ? undefined : maximum)

function range(least: number | undefined, most: number | undefined, unit: string): string | undefined {
  if (most === undefined)
    return least === undefined || Math.abs(least) > limitless ? undefined : `at least ${shown(least)} ${unit}`.trim()
  return `${least === undefined ? "at most " : `${shown(least)}–`}${shown(most)} ${unit}`.trim()
}

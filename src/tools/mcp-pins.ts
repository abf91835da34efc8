import { createHash } from "node:crypto"
import type { TOOL_CHANGES } from "../callbacks/tool-trials.ts"
import type { BoundTool } from "./bound-tool.ts"

/**
 * The stored form of a tool's definition: a hash of all of it, a hash of its input schema, and
 * its description if that is short.
 */
export interface Pin {
  hash: string
  input: string
  description?: string
}

/** The pins by the names of the tools. */
export type Pins = Record<string, Pin>

/**
 * The pins of one MCP server in its current definition. `tools`: its first listing. `seen`: its
 * last listing, if that differs.
 */
export interface ServerPins {
  tools: Pins
  seen?: Pins | undefined
  /** The MCP revision of the server, if that has no `initialize`. */
  speaks?: string | undefined
}

/** A tool as its server just listed it. */
export interface ListedTool extends BoundTool {
  pin: Pin
}

/** A difference between a tool's listing and its pin. */
export interface ChangedTool {
  name: string
  change: (typeof TOOL_CHANGES)[number]
  /** True if turns still get the tool, as it was pinned. */
  offered: boolean
}

/** Reads the value of a server, whose name may be that of a method of every object. */
export const ofServer = <Value>(all: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(all, name) ? all[name] : undefined

/** Longer descriptions are not stored. Such a tool is left out once its description changes. */
export const KEPT_CHARACTERS = 1024

export function pinOf(definition: { description: string; inputSchema: unknown; outputSchema: unknown }): Pin {
  const { description, inputSchema } = definition
  const kept = description.length <= KEPT_CHARACTERS
  return { hash: hashOf(definition), input: hashOf(inputSchema), ...(kept && { description }) }
}

/** The order of keys does not matter. */
function hashOf(value: unknown): string {
  const text = JSON.stringify(value, (_key, item: unknown) =>
    typeof item === "object" && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  )
  return createHash("sha256").update(text).digest("base64url").slice(0, 22)
}

export const listingOf = (listed: readonly ListedTool[]): Pins =>
  Object.fromEntries(listed.map(({ spec, pin }) => [spec.name, pin]))

/**
 * Selects the tools that turns get from a server. A tool with the same input keeps its pinned
 * description. A new tool, or one with another input, is left out until the server is put again.
 * Without pins, all tools are returned as listed.
 */
export function pinnedTools(
  listed: readonly ListedTool[],
  pins: Pins | undefined,
): { tools: BoundTool[]; changed: ChangedTool[] } {
  if (!pins) return { tools: [...listed], changed: [] }
  const tools: BoundTool[] = []
  const changed: ChangedTool[] = []
  for (const tool of listed) {
    const { name } = tool.spec
    const pin = pins[name]
    const change = changeOf(tool.pin, pin, tool.spec.description)
    const offered = change === null || change === "output_schema" || (change === "description" && kept(pin))
    if (change) changed.push({ name, change, offered })
    if (offered) tools.push({ ...tool, spec: { ...tool.spec, description: pin?.description ?? tool.spec.description } })
  }
  const names = new Set(listed.map(({ spec }) => spec.name))
  for (const name of Object.keys(pins)) if (!names.has(name)) changed.push({ name, change: "removed", offered: false })
  return { tools, changed }
}

const kept = (pin: Pin | undefined) => pin?.description !== undefined

function changeOf(now: Pin, pin: Pin | undefined, description: string): ChangedTool["change"] | null {
  if (!pin) return "added"
  if (pin.hash === now.hash) return null
  if (pin.input !== now.input) return "input_schema"
  return pin.description === description ? "output_schema" : "description"
}

/**
 * True if a listing must be stored: it is the first one, differs from the last
 * one, or equals the pins again.
 */
export function isNews(listed: Pins, known: ServerPins | undefined): boolean {
  if (!known) return true
  return known.seen ? !same(listed, known.seen) : !same(listed, known.tools)
}

function same(a: Pins, b: Pins): boolean {
  const names = Object.keys(a)
  return names.length === Object.keys(b).length && names.every((name) => a[name]?.hash === b[name]?.hash)
}

import { createHash } from "node:crypto"
import type { TOOL_CHANGES } from "../callbacks/tool-trials.ts"
import type { BoundTool } from "./bound-tool.ts"

/** What is kept of a tool's definition: hashes of all of it and of its input alone, and its description where it is short. */
export interface Pin {
  hash: string
  input: string
  description?: string
}

/** By the tools' names. */
export type Pins = Record<string, Pin>

/** Of one MCP server in its present definition: what was listed first, and what was listed last when that is something else. */
export interface ServerPins {
  tools: Pins
  seen?: Pins | undefined
  /** The revision of MCP that the server speaks, where that has no `initialize`. */
  speaks?: string | undefined
}

/** A tool as its server has just listed it. */
export interface ListedTool extends BoundTool {
  pin: Pin
}

/** What a server says of a tool that is not what it said when the tool was pinned. */
export interface ChangedTool {
  name: string
  change: (typeof TOOL_CHANGES)[number]
  /** Whether turns still have the tool, as it was pinned. */
  offered: boolean
}

/** What is there under a server's name, which may be that of a method that every object has. */
export const ofServer = <Value>(all: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(all, name) ? all[name] : undefined

/** A longer description is not kept with its pin: then a tool that has another one is left out. */
export const KEPT_CHARACTERS = 1024

export function pinOf(definition: { description: string; inputSchema: unknown; outputSchema: unknown }): Pin {
  const { description, inputSchema } = definition
  const kept = description.length <= KEPT_CHARACTERS
  return { hash: hashOf(definition), input: hashOf(inputSchema), ...(kept && { description }) }
}

/** The order of keys says nothing. */
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
 * The tools that turns have of a server: as they were pinned. A tool whose input is the same keeps its pinned description; one that is
 * new, or takes another input, is left out until the server is put again. Without pins: all, as listed.
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

/** Whether what was listed must be stored: it is the first, differs from what was listed last, or is again what was pinned. */
export function isNews(listed: Pins, known: ServerPins | undefined): boolean {
  if (!known) return true
  return known.seen ? !same(listed, known.seen) : !same(listed, known.tools)
}

function same(a: Pins, b: Pins): boolean {
  const names = Object.keys(a)
  return names.length === Object.keys(b).length && names.every((name) => a[name]?.hash === b[name]?.hash)
}

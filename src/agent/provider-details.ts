import { isFields } from "../base/fields.ts"
import type { Message, ModelCall, ObjectPart } from "./engine.ts"
import type { ProviderDetails, ProviderSaid } from "./provider-said.ts"
import { concernsAccount, type ProviderRefusal } from "./refusal-causes.ts"
import { shownText } from "./shown-words.ts"
import { shownObjects } from "./takes.ts"

const MOST_NAMES = 2_000
const NO_NAMES: ReadonlySet<string> = new Set()

/** The part of a failure that the owner sees. `body`: of the refused request, if it is known. */
export function detailsOf(
  call: ModelCall,
  {
    status,
    said,
    refusal,
    body,
  }: { status: number | undefined; said: ProviderSaid; refusal: ProviderRefusal | null; body?: string | undefined },
): ProviderDetails {
  const cause = refusal?.cause
  const isOurs = cause === "ours" || concernsAccount(said)
  const file = cause === "file" ? fileOf(call, said, body) : null
  return {
    status: status ?? null,
    type: said.type === null ? null : shownText(said.type, NO_NAMES),
    message: isOurs ? null : shownText(said.message, namesOf(call, cause === "tool")),
    file: file?.name ?? null,
    tool: cause === "tool" ? toolOf(call, said) : null,
    parameter: refusal?.parameter ? shownText(refusal.parameter, NO_NAMES) : null,
  }
}

/** The owner's own words in a request: names of tools and files, and, for a refused tool, of its properties. */
function namesOf({ tools, messages }: ModelCall, hasProperties: boolean): ReadonlySet<string> {
  const names = new Set([...tools.map(({ name }) => name), ...objectsOf(messages).map(({ name }) => name)])
  const addFrom = (value: unknown) => {
    if (names.size >= MOST_NAMES || typeof value !== "object" || value === null) return
    if (isFields(value) && isFields(value.properties)) for (const name of Object.keys(value.properties)) names.add(name)
    for (const one of Object.values(value)) addFrom(one)
  }
  if (hasProperties) for (const { inputSchema } of tools) addFrom(inputSchema)
  return names
}

const objectsOf = (messages: readonly Message[]): ObjectPart[] =>
  messages.flatMap((message) => {
    if (message.role === "assistant") return []
    const parts =
      message.role === "user"
        ? message.content
        : message.content.flatMap(({ output }) => (output.type === "parts" ? output.value : []))
    return parts.filter((part) => part.type === "object")
  })

/** Providers name a tool, or its place in the request. */
function toolOf({ tools }: ModelCall, { all }: ProviderSaid): string | null {
  const named = /(?:function|tool) ['"`]([^'"`]+)['"`]/i.exec(all)?.[1]
  if (tools.some(({ name }) => name === named)) return named ?? null
  const place = /function_?declarations\[(\d+)\]/i.exec(all) ?? /\btools[.[]+(\d+)/.exec(all)
  const at = place ? Number(place[1]) : tools.length === 1 ? 0 : -1
  return tools[at]?.name ?? null
}

/** The file that a provider refuses, by its place in the request. */
export function fileOf(call: ModelCall, { all }: ProviderSaid, body: string | undefined): ObjectPart | null {
  const shown = [...shownObjects(call.engine, call.messages)]
  if (shown.length <= 1) return shown[0] ?? null
  const named = shown.filter(({ name }) => all.includes(name))
  if (named.length === 1) return named[0] ?? null
  const place = /\b(?:messages|input|contents)(?:[.[\]]+[\w-]+)+/.exec(all)?.[0]
  const bytes = place === undefined || body === undefined ? null : bytesAt(body, place)
  return shown.find((part) => part.bytes === bytes) ?? null
}

/** The size of the file at a place of a request, such as `messages.2.content.1.image.source.base64`. */
function bytesAt(body: string, place: string): number | null {
  let value: unknown = JSON.parse(body)
  for (const step of place.split(/[.[\]]+/)) {
    // Places also contain the types of their parts, which are no members.
    if (typeof value === "object" && value !== null && step in value) value = (value as Record<string, unknown>)[step]
  }
  const data = longestText(value)
  if (data === null) return null
  const base64 = data.replace(/^data:[^,]*,/, "")
  return Math.floor((base64.length * 3) / 4) - (/=*$/.exec(base64)?.[0].length ?? 0)
}

function longestText(value: unknown): string | null {
  if (typeof value === "string") return value
  if (typeof value !== "object" || value === null) return null
  const texts = Object.values(value).flatMap((one) => longestText(one) ?? [])
  return texts.reduce<string | null>((longest, text) => (text.length > (longest?.length ?? -1) ? text : longest), null)
}

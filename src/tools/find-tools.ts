import * as z from "zod"
import type { ToolSpec } from "../agent/engine.ts"
import { byteLength } from "../agent/estimate.ts"
import { CALL_TOOL, FIND_TOOLS } from "../agent-config/names.ts"
import { wordsOfText } from "../base/word-stem.ts"
import { type BoundTool, builtin, type ToolRun } from "./bound-tool.ts"
import { TOOL_POLICY } from "./policies.ts"
import { createToolSearch } from "./rank-tools.ts"

/** The tool that calls the tools which `find_tools` finds. A run resolves its calls. */
export const CALL_TOOL_SPEC: ToolSpec = {
  name: CALL_TOOL,
  description: `Calls a tool that ${FIND_TOOLS} has found.`,
  inputSchema: {
    type: "object",
    properties: {
      name: { type: "string", description: "The name of the tool." },
      input: { type: "object", description: "The input of the tool, as its input_schema describes it." },
    },
    required: ["name", "input"],
    additionalProperties: false,
  },
}

const input = z.strictObject({
  query: z.string().min(1).max(400).meta({
    description: "Words that say which tool is needed: an action, a thing and the server, or the name of a tool.",
  }),
})

/** A tool's definition as a model reads it in a text. */
export const definitionOf = ({ name, description, inputSchema }: ToolSpec): string =>
  JSON.stringify({ name, description, input_schema: inputSchema })

interface Catalogue {
  /** The tools that can be found. */
  specs: readonly ToolSpec[]
  /** The names of servers and of groups of tools. */
  groups: readonly string[]
  /** The names of the tools that the agent has found in this turn. It grows. */
  found: Set<string>
  /** Keeps found tools for later turns: the bytes of each definition by name. */
  keep(found: Record<string, number>): Promise<void>
}

const FULL = `No further tool can be found in this turn: ${TOOL_POLICY.foundPerTurn} is the limit.`
const NONE = "No tool matches. Try other words."

/** The tool with which an agent finds its tools. Its definition is the same in each turn of a configuration. */
export function findToolsTool({ specs, groups, found, keep }: Catalogue): BoundTool {
  const byName = new Map(specs.map((spec) => [spec.name, spec]))
  let search: ReturnType<typeof createToolSearch> | undefined
  const description =
    "Finds tools by what they do, and answers the definitions of the best and the names of others of their servers. " +
    `There are more tools than the ones that you see: ${groups.join(", ")}. Call a found tool with ${CALL_TOOL}.`
  return builtin({ name: FIND_TOOLS, description, input }, async ({ query }): Promise<ToolRun> => {
    search ??= createToolSearch(specs)
    const best: string[] = []
    const shown: string[] = []
    const news: Record<string, number> = {}
    let isFull = false
    let bytes = 0
    for (const name of search(query).slice(0, TOOL_POLICY.toolsPerSearch)) {
      const definition = definitionOf(byName.get(name) as ToolSpec)
      bytes += byteLength(definition)
      if (bytes > TOOL_POLICY.maxResultBytes) break
      if (!found.has(name) && found.size >= TOOL_POLICY.foundPerTurn) {
        isFull = true
        continue
      }
      if (!found.has(name)) news[name] = byteLength(definition)
      found.add(name)
      best.push(definition)
      shown.push(name)
    }
    if (Object.keys(news).length > 0) await keep(news)
    const note = isFull ? `,"note":${JSON.stringify(FULL)}` : best.length === 0 ? `,"note":${JSON.stringify(NONE)}` : ""
    const names = besides(specs, { shown, query })
    const others = names.length > 0 ? `,"others":${JSON.stringify(names)}` : ""
    return { output: { type: "text", value: `{"tools":[${best.join(",")}]${others}${note}}` } }
  })
}

const serverOf = (name: string) => (name.includes("__") ? name.slice(0, name.indexOf("__")) : "")

/**
 * The names of other tools, for a model that knows better than the words of its query which one it needs: those of the
 * servers that the query names, then those of the servers of the shown tools.
 */
function besides(specs: readonly ToolSpec[], { shown, query }: { shown: readonly string[]; query: string }): string[] {
  const words = new Set(wordsOfText(query.toLowerCase()))
  const names = specs.map(({ name }) => name).filter((name) => !shown.includes(name))
  const isNamed = (name: string) => wordsOfText(serverOf(name)).some((word) => words.has(word.toLowerCase()))
  const servers = new Set(shown.map(serverOf))
  const near = names.filter((name) => servers.has(serverOf(name)))
  return [...new Set([...names.filter(isNamed), ...near])].slice(0, TOOL_POLICY.namesPerSearch)
}

/** The names of the tools in a result of `find_tools`. */
export function namesInResult(value: string): string[] {
  const { tools } = JSON.parse(value) as { tools: { name: string }[] }
  return tools.map(({ name }) => name)
}

/** The groups of tools by the first word of their names, for tools without a server. */
export function groupsOf(names: readonly string[]): string[] {
  const words = names.map((name) => /^[A-Z]?[a-z0-9]+|^[A-Z0-9]+/.exec(name)?.[0].toLowerCase() ?? name)
  return [...new Set(words)].sort()
}

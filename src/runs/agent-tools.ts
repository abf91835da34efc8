import type { ToolSpec } from "../agent/engine.ts"
import { toolTokenBound } from "../agent/estimate.ts"
import { TOOL_SEARCH } from "../agent-config/manifest.ts"
import { BUILTIN_TOOLS, CONTAINER, DELEGATE, FIND_TOOLS } from "../agent-config/names.ts"
import { callOne } from "../platform/db.ts"
import type { BoundTool } from "../tools/bound-tool.ts"
import { CALL_TOOL_SPEC, findToolsTool, groupsOf, namesInResult } from "../tools/find-tools.ts"
import { fitTools } from "../tools/fit-tools.ts"
import { ofServer } from "../tools/mcp-pins.ts"
import { TOOL_POLICY } from "../tools/policies.ts"
import { specsOf } from "../tools/toolbox.ts"
import { TURN_POLICY } from "../turns/policies.ts"
import type { StepRow } from "../turns/step-row.ts"
import type { ModelRow } from "./claim-turns.ts"
import { ContextFit } from "./fit-context.ts"
import type { AgentWork, Run } from "./run.ts"
import { RunEnd } from "./run-end.ts"

const LISTED = new Set<string>([...BUILTIN_TOOLS, DELEGATE])

/** Built-in tools, and tools of the caller, whose other turns may have others. */
const isListed = ([name, { called }]: [string, BoundTool]) => LISTED.has(name) || called !== undefined

/** The part of an agent that says which tools it has, and what its prompt shows of them. */
type AgentTools = Pick<AgentWork, "tools" | "specs" | "search">

interface Wanted {
  model: ModelRow
  /** The steps that the agent has committed. */
  steps: readonly StepRow[]
  /** True for the space's own agent, whose conversation keeps found tools. */
  isOwn: boolean
  /** Optional servers that the turn lacks. They count, so that an agent does not change how it gets its tools. */
  missing: readonly string[]
}

/**
 * Gives an agent its tools in the form that its model takes. With few tools, the prompt lists them all. With many it
 * lists `find_tools` and `call_tool` instead, so that the prompt begins with the same bytes whatever is found.
 */
export function agentTools(
  run: Run,
  all: ReadonlyMap<string, BoundTool>,
  wanted: Wanted,
): AgentTools & { leftOut: string[] } {
  const { model } = wanted
  const hidden = new Map([...all].filter((one) => !isListed(one)))
  if (!isSearched(run, specsOf(hidden), wanted)) {
    const { tools, leftOut } = fitTools(all, model.engine)
    return { tools, specs: specsOf(tools), search: null, leftOut }
  }
  const kept = wanted.isOwn ? (run.claim.found_tools ?? {}) : {}
  const find = findToolsTool({
    specs: specsOf(hidden),
    groups: groupNames(run, hidden),
    found: new Set(wanted.steps.flatMap(foundIn)),
    keep: async (found) => {
      const news = Object.fromEntries(Object.entries(found).filter(([name]) => !Object.hasOwn(kept, name)))
      if (wanted.isOwn && Object.keys(news).length > 0) await keepFound(run, news)
    },
  })
  const listed = new Map([...[...all].filter(isListed), [FIND_TOOLS, find] as const])
  const { tools, leftOut } = fitTools(listed, model.engine)
  return {
    tools: new Map([...tools, ...hidden]),
    specs: [...specsOf(tools), CALL_TOOL_SPEC],
    search: { hidden, kept: beforeExchange(run, kept) },
    leftOut,
  }
}

/** The steps of the turn's own exchange have what they found. */
function beforeExchange({ turn }: Run, kept: Kept): Kept {
  const { continues_from: from } = turn
  return from === null ? kept : Object.fromEntries(Object.entries(kept).filter(([, { position }]) => position < from))
}

type Kept = NonNullable<AgentWork["search"]>["kept"]

function isSearched(run: Run, specs: readonly ToolSpec[], { model, missing }: Wanted): boolean {
  const { manifest, mcp_pins: pins, mcp_tokens: known } = run.claim.config
  const { mode = "auto" } = manifest.tools ?? {}
  if (mode === "all") return false
  const absent = missing.map((name) => Object.keys(ofServer(pins, name)?.tools ?? {}).length)
  const count = absent.reduce((sum, tools) => sum + tools, specs.length)
  if (mode === "search") return count > 0
  if (count > TOOL_SEARCH.tools) return true
  const { window } = new ContextFit(model)
  if (window === null) return false
  const bound = missing.reduce((sum, name) => sum + (ofServer(known, name) ?? 0), toolTokenBound(specs))
  return bound / TURN_POLICY.bytesPerToken > window * TOOL_SEARCH.window
}

/** The same in each turn of a configuration, whichever servers answer. */
function groupNames({ claim }: Run, hidden: ReadonlyMap<string, BoundTool>): string[] {
  const { tools, mcp_servers: servers } = claim.config
  const own = groupsOf(Object.keys(tools).filter((name) => hidden.has(name)))
  const remote = Object.keys(servers).sort()
  const contained = [...hidden.keys()].some(
    (name) => name.startsWith(`${CONTAINER}__`) && !Object.hasOwn(servers, CONTAINER),
  )
  return [
    ...(remote.length > 0 ? [`those of the servers ${remote.join(", ")}`] : []),
    ...(own.length > 0 ? [`those for ${own.join(", ")}`] : []),
    ...(contained ? ["those of a container"] : []),
  ]
}

/** The tools that a step has found. */
const foundIn = ({ content, results }: StepRow): string[] =>
  Object.entries(results).flatMap(([index, output]) => {
    const call = content.filter((part) => part.type === "tool-call")[Number(index)]
    return call?.toolName === FIND_TOOLS && output.type === "text" ? namesInResult(output.value) : []
  })

async function keepFound({ ctx, turn }: Run, found: Record<string, number>): Promise<void> {
  const { turn_id, epoch } = turn
  const asked = { turn_id, epoch, found, most: TOOL_POLICY.foundPerConversation }
  const { keep_found_tools: isOurs } = await callOne(ctx.db, "keep_found_tools", asked)
  if (!isOurs) throw new RunEnd({ kind: "stale" })
}

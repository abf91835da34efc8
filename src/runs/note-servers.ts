import { newId } from "../base/ids.ts"
import { callOne } from "../platform/db.ts"
import { TOOL_POLICY } from "../tools/policies.ts"
import type { Toolbox } from "../tools/toolbox.ts"
import type { Run } from "./run.ts"
import { RunEnd } from "./run-end.ts"

/** The names of the optional servers that a turn lacks. */
export const missingIn = ({ missing }: Toolbox): string[] => missing.map(({ name }) => name)

/** Notes the optional servers that the turn lacks, and those that answer again. */
export async function noteServers({ ctx, claim, turn }: Run, { missing, listed }: Toolbox): Promise<void> {
  const { mcp_servers: servers, mcp_failing: failing } = claim.config
  const known = new Set((turn.warnings ?? []).map(({ server }) => server))
  const news = missing.filter(({ name }) => !known.has(name))
  const back = Object.keys(failing).filter((name) => name in listed)
  if (news.length === 0 && back.length === 0) return
  const moment = ctx.clock.now()
  const { note_servers: isOurs } = await callOne(ctx.db, "note_servers", {
    turn_id: turn.turn_id,
    epoch: turn.epoch,
    missing: news.map((one) => ({ ...one, definition: servers[one.name] })),
    back,
    pauses: [...TOOL_POLICY.mcpPauseSeconds],
    event_id: newId("event", moment),
    moment,
  })
  if (!isOurs) throw new RunEnd({ kind: "stale" })
}

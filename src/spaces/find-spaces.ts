import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { readAs, spaceInScope } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { roleInSpace, SPACE_ROLES, type SpaceRole, sharedSpaces } from "../actor/shares.ts"
import type { ArchivedFilter } from "../base/pagination.ts"
import { spaceSchema } from "./schemas.ts"
import { isNamed, type SpaceRow, SUMMARY_COLUMNS, serializeSpace } from "./serialize-space.ts"

/** A space as the dashboard shows it. */
export const accountSpaceSchema = spaceSchema
  .extend({
    role: z.enum(SPACE_ROLES).meta({
      description:
        "What you may do: its `owner` (who is billed for it) and an `admin` change it, a `member` sees and uses it. The owners and " +
        "admins of its workspace are `admin`.",
      example: "owner",
    }),
    workspace_id: z.string().nullable().meta({
      description: "The workspace whose members see and use it; null: none.",
      example: "acme-support",
    }),
  })
  .meta({ id: "AccountSpace" })

type AccountSpaceRow = SpaceRow & { role: SpaceRole }

export function serializeAccountSpace(row: AccountSpaceRow): z.infer<typeof accountSpaceSchema> {
  return { ...serializeSpace(row), role: row.role, workspace_id: row.workspace_id }
}

/** A space as a list shows it: without its configuration. */
export const spaceSummarySchema = accountSpaceSchema
  .omit({ manifest: true, tools: true, mcp_servers: true })
  .meta({ id: "SpaceSummary" })

export function serializeSpaceSummary(row: AccountSpaceRow): z.infer<typeof spaceSummarySchema> {
  const { manifest: _manifest, tools: _tools, mcp_servers: _servers, ...summary } = serializeAccountSpace(row)
  return summary
}

export interface SpaceSearch {
  q?: string | undefined
  archived: ArchivedFilter
}

/** The caller's spaces and those that are shared with them, newest first, with their number. `q`: a part of the title, or the beginning of the slug, case-insensitive. */
export async function findSpaces(
  ctx: Context,
  credential: SessionCredential,
  { search, limit, offset }: { search: SpaceSearch; limit: number; offset: number },
): Promise<{ spaces: AccountSpaceRow[]; total: number }> {
  const { q, archived } = search
  const { rows } = await readAs(ctx, credential, (db) =>
    db.selectFrom("caller").select((caller) => {
      const matching = caller
        .selectFrom("spaces as s")
        .$if(q !== undefined && q !== "", (query) => query.where(isNamed(q ?? "")))
        .$if(archived !== "all", (query) =>
          query.where("s.archived_at", archived === "archived" ? "is not" : "is", null),
        )
        .select(SUMMARY_COLUMNS)
        .select("s.workspace_id")
      const own = matching
        .whereRef("s.user_id", "=", "caller.user_id")
        .where(spaceInScope)
        .select((eb) => eb.val<SpaceRole>("owner").as("role"))
      const shared = matching
        .where("s.space_id", "in", sharedSpaces)
        .whereRef("s.test", "=", "caller.test")
        .select(roleInSpace.as("role"))
      const found = caller.selectFrom(own.unionAll(shared).as("s"))
      const page = found.selectAll("s").orderBy("s.slug", "desc").limit(limit).offset(offset)
      return [found.select((eb) => eb.fn.countAll<number>().as("total")).as("total"), jsonArrayFrom(page).as("spaces")]
    }),
  )
  const { total, spaces = [] } = rows[0] ?? {}
  const none = { manifest: {}, tools: {}, mcp_servers: {} }
  return { total: total ?? 0, spaces: spaces.map((space) => ({ ...space, ...none }) as AccountSpaceRow) }
}

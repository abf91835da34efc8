import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { readAs, spaceInScope } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { roleInSpace, SPACE_ROLES, type SpaceRole, sharedSpaces } from "../actor/shares.ts"
import type { ArchivedFilter } from "../base/pagination.ts"
import { isTextOf } from "../platform/one-of.ts"
import { spaceSchema } from "./schemas.ts"
import { isNamed, type SpaceRow, SUMMARY_COLUMNS, serializeSpace } from "./serialize-space.ts"

/** A space in the dashboard's API. */
export const accountSpaceSchema = spaceSchema
  .extend({
    role: z.enum(SPACE_ROLES).meta({
      description:
        "Your role. `owner`: is billed for the space, and can change it. `admin`: can change it; the owners and admins of its workspace are `admin`. " +
        "`member`: can see and use it.",
      example: "owner",
    }),
    workspace_id: z.string().nullable().meta({
      description: "The workspace whose members can see and use the space; null: none.",
      example: "acme-support",
    }),
  })
  .meta({ id: "AccountSpace" })

type AccountSpaceRow = SpaceRow & { role: SpaceRole }

export function serializeAccountSpace(row: AccountSpaceRow): z.infer<typeof accountSpaceSchema> {
  return { ...serializeSpace(row), role: row.role, workspace_id: row.workspace_id }
}

/** A space in a list, without its configuration. */
export const spaceSummarySchema = accountSpaceSchema
  .omit({ manifest: true, tools: true, mcp_servers: true })
  .meta({ id: "SpaceSummary" })

export function serializeSpaceSummary(row: AccountSpaceRow): z.infer<typeof spaceSummarySchema> {
  const { manifest: _manifest, tools: _tools, mcp_servers: _servers, ...summary } = serializeAccountSpace(row)
  return summary
}

export interface SpaceSearch {
  q?: string | undefined
  /** Only these ids (`spc_…`). Unknown ones are left out. */
  space?: string[] | undefined
  archived: ArchivedFilter
}

/**
 * The caller's own and shared spaces, newest first, with the total. `q`: a part of the title, or a prefix of the
 * slug; case does not matter.
 */
export async function findSpaces(
  ctx: Context,
  credential: SessionCredential,
  { search, limit, offset }: { search: SpaceSearch; limit: number; offset: number },
): Promise<{ spaces: AccountSpaceRow[]; total: number }> {
  const { q, space, archived } = search
  const { rows } = await readAs(ctx, credential, (db) =>
    db.selectFrom("caller").select((caller) => {
      const matching = caller
        .selectFrom("spaces as s")
        .$if(q !== undefined && q !== "", (query) => query.where(isNamed(q ?? "")))
        .$if(space !== undefined, (query) => query.where(isTextOf("s.slug", space ?? [])))
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
      const visible = caller.selectFrom(own.unionAll(shared).as("s"))
      const page = visible.selectAll("s").orderBy("s.slug", "desc").limit(limit).offset(offset)
      return [
        visible.select((eb) => eb.fn.countAll<number>().as("total")).as("total"),
        jsonArrayFrom(page).as("spaces"),
      ]
    }),
  )
  const { total, spaces = [] } = rows[0] ?? {}
  const none = { manifest: {}, tools: {}, mcp_servers: {} }
  return { total: total ?? 0, spaces: spaces.map((space) => ({ ...space, ...none }) as AccountSpaceRow) }
}

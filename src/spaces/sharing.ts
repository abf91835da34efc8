import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { callAs, readAs, spaceNotFound } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { SPACE_ROLES, spaceRoleRequired } from "../actor/shares.ts"
import { TurnpikeError } from "../base/errors.ts"
import { fromUsd, toUsd, usdAmount } from "../base/money.ts"
import type { Answers, Procedures } from "../platform/procedures.ts"
import { capStateSchema, serializeCapState } from "../quotas/cap-state.ts"

const place = z
  .object({ workspace_id: z.string().meta({ example: "acme-support" }), name: z.string().meta({ example: "Acme" }) })
  .nullable()
  .meta({ description: "The workspace whose members can use the space; null: the space is in no workspace." })
const peopleCount = z.int().meta({ description: "The number of people with whom the space is shared.", example: 3 })

export const sharingSchema = z
  .object({
    space_id: z.string().meta({ example: "spc_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
    workspace: place,
    people: z
      .array(
        z.object({
          user_id: z.int().meta({ example: 42 }),
          name: z.string().nullable().meta({ example: "Ada" }),
          role: z.enum(SPACE_ROLES).exclude(["owner"]).meta({
            description:
              "`admin`: can change the space and use its secrets in tools. `member`: can see and use the space.",
          }),
        }),
      )
      .meta({ description: "The people with whom the space is shared, by name, at most 200." }),
    people_count: peopleCount,
    daily_usd: z.number().nullable().meta({
      description: "Your limit of what these people can spend together in a UTC day, in USD; null: the default.",
    }),
    cap: capStateSchema,
  })
  .meta({ id: "SpaceSharing" })

export const putMembersLimitSchema = z
  .strictObject({
    daily_usd: usdAmount.nullable().meta({
      description:
        "The most that all members together can spend of your balance in a UTC day, in USD. 0: nothing. Null: the default.",
      example: 2,
    }),
  })
  .meta({ id: "PutMembersLimit" })

export const sharedSpaceSchema = z
  .object({
    space_id: z.string().meta({ example: "spc_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
    title: z.string().meta({ example: "Support desk" }),
    workspace: place,
    people_count: peopleCount,
  })
  .meta({ id: "SharedSpace" })

type Sharing = z.infer<typeof sharingSchema>

const serializeSharing = ({ own_limit, cap, people, ...row }: Answers["sharing_answer"]): Sharing => ({
  ...row,
  people: people as Sharing["people"],
  daily_usd: own_limit === null ? null : toUsd(own_limit),
  cap: serializeCapState(cap),
})

type Answer = Omit<Procedures["get_sharing"]["row"], "actor">

function sharingOf(spaceId: string, { refused, sharing }: Answer): Sharing {
  if (refused === "role") throw spaceRoleRequired("owner", { space_id: spaceId })
  if (refused === "moved") {
    throw new TurnpikeError("CONFLICT", "An admin moved the space to another workspace at the same time. Try again.")
  }
  if (!sharing) throw spaceNotFound(spaceId)
  return serializeSharing(sharing)
}

export const GET_SHARING_ERRORS = ["NOT_FOUND", "SPACE_ROLE_REQUIRED"] as const

/** The people of the caller's space, and their spending cap. Throws NOT_FOUND, SPACE_ROLE_REQUIRED. */
export async function getSharing(ctx: Context, credential: SessionCredential, spaceId: string): Promise<Sharing> {
  const { row } = await callAs(ctx, credential, "get_sharing", { slug: spaceId })
  return sharingOf(spaceId, row)
}

export const END_SHARING_ERRORS = ["NOT_FOUND", "SPACE_ROLE_REQUIRED", "CONFLICT"] as const

/** Ends the sharing of the caller's space. Throws NOT_FOUND, SPACE_ROLE_REQUIRED, CONFLICT. */
export async function endSharing(ctx: Context, credential: SessionCredential, spaceId: string): Promise<Sharing> {
  const { row } = await callAs(ctx, credential, "end_sharing", {
    slug: spaceId,
  })
  return sharingOf(spaceId, row)
}

export const PUT_MEMBERS_LIMIT_ERRORS = ["NOT_FOUND", "SPACE_ROLE_REQUIRED"] as const

/** Sets the daily spending limit of the members of the caller's space. Throws NOT_FOUND, SPACE_ROLE_REQUIRED. */
export async function putMembersLimit(
  ctx: Context,
  credential: SessionCredential,
  { spaceId, dailyUsd }: { spaceId: string; dailyUsd: number | null },
): Promise<Sharing> {
  const { row } = await callAs(ctx, credential, "put_members_limit", {
    slug: spaceId,
    daily: dailyUsd === null ? null : fromUsd(dailyUsd),
  })
  return sharingOf(spaceId, row)
}

/** The caller's spaces that are shared with other people, newest first. */
export async function listShares(
  ctx: Context,
  credential: SessionCredential,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ items: z.infer<typeof sharedSpaceSchema>[]; total: number }> {
  const { rows } = await readAs(ctx, credential, (db) =>
    db
      .selectFrom("spaces as s")
      .innerJoin("caller", (join) => join.onRef("caller.user_id", "=", "s.user_id").onRef("caller.test", "=", "s.test"))
      .innerJoin("space_shares as h", "h.space_id", "s.space_id")
      .leftJoin("workspaces as w", "w.workspace_id", "s.workspace_id")
      .groupBy(["s.space_id", "s.slug", "s.title", "w.workspace_id", "w.name"])
      .select(["s.slug as space_id", "s.title", "w.workspace_id", "w.name"])
      .select((eb) => [
        eb.fn.count<number>("h.user_id").distinct().as("people_count"),
        eb.fn.countAll<number>().over().as("total"),
      ])
      .orderBy("s.slug", "desc")
      .limit(limit)
      .offset(offset),
  )
  const items = rows.map(({ space_id, title, workspace_id, name, people_count }) => ({
    space_id,
    title,
    people_count,
    workspace: workspace_id !== null && name !== null ? { workspace_id, name } : null,
  }))
  return { items, total: rows[0]?.total ?? 0 }
}

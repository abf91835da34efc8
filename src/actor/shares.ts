import { type Expression, type ExpressionBuilder, expressionBuilder, type SqlBool } from "kysely"
import { TurnpikeError } from "../base/errors.ts"
import type { DB } from "../platform/db-types.ts"
import type { Credential, SessionCredential } from "./actor.ts"
import { type CallerDB, readAs, spaceInScope } from "./call-as.ts"
import type { Context } from "./context.ts"

/** The roles of users in a space: owner and admins change it, members see and use it. */
export const SPACE_ROLES = ["owner", "admin", "member"] as const
export type SpaceRole = (typeof SPACE_ROLES)[number]

/** How a user is a member of a space: registered, which gives access, or only through the space's messaging chat. */
export const MEMBER_VIAS = ["registered", "board"] as const
export type MemberVia = (typeof MEMBER_VIAS)[number]
export const VIA_DESCRIPTION =
  "`registered`: the owner, or a member of the space, its workspace or the workspace's team. `board`: only in the space's " +
  "messaging chat, which gives no access to the space."

type OfSpace = CallerDB & { s: DB["spaces"] }
const eb: ExpressionBuilder<OfSpace, "s" | "caller"> = expressionBuilder()

/** The shares of a space `s` with the caller, by the rule of the view space_shares. */
const shares = eb
  .selectFrom("space_shares as h")
  .whereRef("h.space_id", "=", "s.space_id")
  .whereRef("h.user_id", "=", "caller.user_id")
  // A space is shared with a person, and not with the other people of the person's account.
  .where("caller.person_id", "is", null)

/**
 * True if a caller may see and use a space `s`: it is in the caller's scope, or shared with a
 * signed-in user. For keys, the statement does not read the shares.
 */
export const spaceVisible = ({ kind }: Credential): Expression<SqlBool> =>
  kind === "key"
    ? spaceInScope
    : eb.or([spaceInScope, eb.and([eb("s.test", "=", eb.ref("caller.test")), eb.exists(shares)])])

/** The role of a signed-in caller in a visible space `s`. */
export const roleInSpace = eb
  .case()
  .when("s.user_id", "=", eb.ref("caller.user_id"))
  .then<SpaceRole>("owner")
  // In alphabetical order, the role with more rights comes first.
  .else(shares.select((share) => share.fn.min<SpaceRole>("h.role").as("role")))
  .end()

/** The ids of the spaces that are shared with the caller, for queries that start from the user. */
export const sharedSpaces = eb
  .selectFrom("space_shares as h")
  .whereRef("h.user_id", "=", "caller.user_id")
  .where("caller.person_id", "is", null)
  .select("h.space_id")

/** The place of a request, in its path. */
export interface RolePlace {
  space_id?: string | undefined
  turn_id?: string | undefined
}

/** The error of a caller who sees a space, or sent the turn, and has no right to change it. */
export function spaceRoleRequired(role: "owner" | "admin", { space_id: space, turn_id }: RolePlace): TurnpikeError {
  if (turn_id !== undefined)
    return new TurnpikeError("SPACE_ROLE_REQUIRED", "Only the owner and admins of the space decide about its calls.")
  const message =
    role === "owner"
      ? `The space "${space}" is shared with you. Only its owner decides how it is shared.`
      : `You may use the space "${space}", but not change it.`
  return new TurnpikeError("SPACE_ROLE_REQUIRED", message)
}

/** Throws SPACE_ROLE_REQUIRED if a caller lacks a role in the space of a place. */
export type SpaceRoleCheck = (ctx: Context, credential: SessionCredential, place: RolePlace) => Promise<void>

/**
 * The check of an operation that only the owner of a space may call, or the owner and admins. Operations carry it, so
 * that only workers with such operations get the right to read spaces.
 */
export const needsSpaceRole =
  (role: "owner" | "admin"): SpaceRoleCheck =>
  (ctx, credential, place) =>
    requireSpaceRole(ctx, credential, role, place)

/**
 * Throws SPACE_ROLE_REQUIRED if a space is shared with a signed-in caller whose role there is less than `role`. Says
 * nothing of a space, or of another member's turn, that the caller does not see.
 */
async function requireSpaceRole(
  ctx: Context,
  credential: SessionCredential,
  role: "owner" | "admin",
  place: RolePlace,
): Promise<void> {
  const { space_id: slug, turn_id: turnId } = place
  const { rows } = await readAs(ctx, credential, (db) =>
    db
      .selectFrom(["spaces as s", "caller"])
      .where(spaceVisible(credential))
      .$if(slug !== undefined, (query) => query.where("s.slug", "=", slug ?? ""))
      .$if(turnId !== undefined, (query) =>
        query.where("s.space_id", "=", (turns) =>
          turns
            .selectFrom("turns as t")
            .whereRef("t.member_id", "=", "caller.user_id")
            .where("t.turn_id", "=", turnId ?? "")
            .select("t.space_id"),
        ),
      )
      .select(roleInSpace.as("role"))
      .limit(1),
  )
  const own = rows[0]?.role
  if (own && own !== "owner" && own !== role) throw spaceRoleRequired(role, place)
}

import { type Expression, type ExpressionBuilder, expressionBuilder, type SqlBool } from "kysely"
import type { DB } from "../platform/db-types.ts"
import type { Credential } from "./actor.ts"
import { type CallerDB, spaceInScope } from "./call-as.ts"

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
  .select("h.space_id")

import { type Expression, type ExpressionBuilder, expressionBuilder, type SqlBool } from "kysely"
import type { DB } from "../platform/db-types.ts"
import type { Credential } from "./actor.ts"
import { type CallerDB, spaceInScope } from "./call-as.ts"

/** What somebody may do in a space: its owner and admins change it, a member sees and uses it. */
export const SPACE_ROLES = ["owner", "admin", "member"] as const
export type SpaceRole = (typeof SPACE_ROLES)[number]

/** How somebody is a member of a space: registered, which gives access, or only as one of the people of its messaging board. */
export const MEMBER_VIAS = ["registered", "board"] as const
export type MemberVia = (typeof MEMBER_VIAS)[number]
export const VIA_DESCRIPTION =
  "`registered`: the owner, or a member by the space itself, its workspace or that one's team. `board`: only in the messaging chat that " +
  "the space is, which gives no access to it."

type OfSpace = CallerDB & { s: DB["spaces"] }
const eb: ExpressionBuilder<OfSpace, "s" | "caller"> = expressionBuilder()

/** The ways on which a space `s` is shared with the caller (the view space_shares has the rule). */
const shares = eb
  .selectFrom("space_shares as h")
  .whereRef("h.space_id", "=", "s.space_id")
  .whereRef("h.user_id", "=", "caller.user_id")

/**
 * Whether a caller may see and use a space `s`: it is in their scope, or shared with a signed-in user. The statements of keys know nothing
 * of what is shared.
 */
export const spaceVisible = ({ kind }: Credential): Expression<SqlBool> =>
  kind === "key"
    ? spaceInScope
    : eb.or([spaceInScope, eb.and([eb("s.test", "=", eb.ref("caller.test")), eb.exists(shares)])])

/** What a signed-in caller may do in a space `s` that they see. */
export const roleInSpace = eb
  .case()
  .when("s.user_id", "=", eb.ref("caller.user_id"))
  .then<SpaceRole>("owner")
  // The alphabet has them in the order of what they may.
  .else(shares.select((share) => share.fn.min<SpaceRole>("h.role").as("role")))
  .end()

/** The ids of the spaces that are shared with the caller, to be read from the user's side. */
export const sharedSpaces = eb
  .selectFrom("space_shares as h")
  .whereRef("h.user_id", "=", "caller.user_id")
  .select("h.space_id")

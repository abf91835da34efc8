/** The roles of the people of an account. Its own user has the role `owner` until the account is handed over. */
export const MEMBER_ROLES = ["owner", "developer", "billing", "read_only"] as const
/** The role of an account's own user, who has none after leaving it. */
export const OWN_ROLES = [...MEMBER_ROLES, "none"] as const
export type MemberRole = (typeof MEMBER_ROLES)[number]

/** The rights in an account. Each operation needs one (src/base/operation-rights.ts). */
export const RIGHTS = {
  read: "reads the account's objects",
  develop: "changes spaces, tools, keys and webhooks, sends turns and decides about them",
  bill: "decides about money: prices, wallets, caps and limits",
  own: "decides who the people of the account are, and deletes a customer's data",
  self: "concerns only the signed-in user, whatever account they act for",
} as const

export type Right = keyof typeof RIGHTS

/** The rights of each role. `role_may()` (src/actor/account-role.sql) decides by the same; a test compares both. */
export const ROLE_RIGHTS: Readonly<Record<MemberRole, readonly Right[]>> = {
  owner: ["read", "develop", "bill", "own", "self"],
  developer: ["read", "develop", "self"],
  billing: ["read", "bill", "self"],
  read_only: ["read", "self"],
}

/** The roles that have a right. */
export const rolesWith = (right: Right): MemberRole[] =>
  MEMBER_ROLES.filter((role) => ROLE_RIGHTS[role].includes(right))

import { createContext, useContext } from "react"
import type { OperationId } from "../api/call.ts"
import { type AccountMe, OPERATIONS } from "../api/operations.ts"

export type Role = AccountMe["account_role"]

/** A role inside a sentence. */
export const ROLE_WORDS: Record<Role, string> = {
  owner: "owner",
  developer: "developer",
  billing: "billing",
  read_only: "read only",
}

/** The rights of the signed-in person in the account. Null: a page of operators, or not known yet. */
export type Rights = Pick<AccountMe, "account_role" | "rights"> | null

/** Filled by the frame of the pages. */
export const RightsContext = createContext<Rights>(null)

/** Why the person's role does not include an operation; null if it does. */
export function refusalOf(me: Rights, id: OperationId | undefined): string | null {
  const needs = id && OPERATIONS[id].needs
  if (!me || !needs || me.rights.includes(needs)) return null
  return `Your role, ${ROLE_WORDS[me.account_role]}, does not include this. Ask an owner of the account.`
}

export const useRights = (): Rights => useContext(RightsContext)

export const useRefusal = (id: OperationId | undefined): string | null => refusalOf(useRights(), id)

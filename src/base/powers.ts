/** Powers that a stolen session must not have. An operation with a power requires a fresh proof of identity. */
export const POWERS = {
  secrets: "reads a secret, or sends one to another server",
  access: "gives access that lasts longer than the session",
  money: "spends money, books credit, sets prices or loosens a limit",
  data: "gives data out, sends it to a new server, or deletes it",
  approval: "lets an agent act without asking",
} as const

export type Power = keyof typeof POWERS

/** The maximum age of a proof. `proof_life` (src/actor/caller.sql) has the same value; a test compares both. */
export const PROOF_MINUTES = 10

export interface Guard {
  powers: Power[]
  /**
   * The proof is required only in this case, and the procedure decides. Without it, `find_caller`
   * rejects every call without a proof.
   */
  when?: string
}

export const guards = {
  always: (...powers: Power[]): Guard => ({ powers }),
  onlyWhen: (when: string, ...powers: Power[]): Guard => ({ powers, when }),
}

/** The documentation of an operation that requires a proof. */
export const guardText = ({ powers, when }: Guard) =>
  `Requires a proof of your identity from the last ${PROOF_MINUTES} minutes (\`POST /api/auth/reauthenticate\`)` +
  `${when ? ` if ${when}` : ""}: it ${powers.map((power) => POWERS[power]).join(", and it ")}.`

import type { Context } from "../actor/context.ts"

const target = (loginId: string) => ({ table: "provider_logins", column: "sealed", row: loginId, owner: "operator" })

/** Seals the secrets of a login for its row. */
export const sealLogin = ({ keyRing }: Pick<Context, "keyRing">, loginId: string, secrets: object): Promise<string> =>
  keyRing.seal(JSON.stringify(secrets), target(loginId))

/** Opens the secrets of a login. Throws if they cannot be opened. */
export async function openLogin<Secrets>(
  { keyRing }: Pick<Context, "keyRing">,
  loginId: string,
  sealed: string,
): Promise<Secrets> {
  return JSON.parse((await keyRing.open(sealed, target(loginId))).text) as Secrets
}

import type { Context } from "../actor/context.ts"

const target = (loginId: string) => ({ table: "provider_logins", column: "sealed", row: loginId, owner: "operator" })

/** What a login needs until its end, as its row keeps it. */
export const sealLogin = ({ keyRing }: Pick<Context, "keyRing">, loginId: string, secrets: object): Promise<string> =>
  keyRing.seal(JSON.stringify(secrets), target(loginId))

/** Throws when it cannot be opened. */
export async function openLogin<Secrets>(
  { keyRing }: Pick<Context, "keyRing">,
  loginId: string,
  sealed: string,
): Promise<Secrets> {
  return JSON.parse((await keyRing.open(sealed, target(loginId))).text) as Secrets
}

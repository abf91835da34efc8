import type { Actor, SessionCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"

interface OwnProofs {
  actor: Actor
  passwordHash: string | null
  /** The sealed secret of a second factor that counts. */
  factor: string | null
  /** The same of one that they have begun to set up. */
  unconfirmed: string | null
}

/** What the caller proves with who they are. */
export async function readOwnProofs(ctx: Context, credential: SessionCredential): Promise<OwnProofs> {
  const { actor, row } = await callAs(ctx, credential, "own_proofs", {})
  const { password_hash: passwordHash, factor_secret: secret, factor_counts: counts } = row
  return { actor, passwordHash, factor: counts ? secret : null, unconfirmed: counts ? null : secret }
}

import type { Actor, SessionCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"

interface OwnProofs {
  actor: Actor
  passwordHash: string | null
  /** The sealed secret of a confirmed second factor. */
  factor: string | null
  /** The sealed secret of a second factor that is not confirmed yet. */
  unconfirmed: string | null
}

/** Reads the secrets with which the caller can prove their identity. */
export async function readOwnProofs(ctx: Context, credential: SessionCredential): Promise<OwnProofs> {
  const { actor, row } = await callAs(ctx, credential, "own_proofs", {})
  const { password_hash: passwordHash, factor_secret: secret, factor_counts: counts } = row
  return { actor, passwordHash, factor: counts ? secret : null, unconfirmed: counts ? null : secret }
}

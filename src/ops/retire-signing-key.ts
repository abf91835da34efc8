import type { Context } from "../actor/context.ts"
import { callOne } from "../platform/db.ts"

const ANSWERS: Record<string, string> = {
  withdrawn: "The key is withdrawn. Tell holders of documents that it signed to read them again.",
  already: "The key was withdrawn before.",
}

const FAULTS: Record<string, string> = {
  unknown: "There is no signing key with this kid. /.well-known/jwks.json has those that are valid.",
  last: "It is the only key. Put a new key before it into SECRETS_KEYS, run `npm run admin -- worker-keys`, and deploy.",
}

/** Withdraws a key that signs documents (docs/architecture/receipts.md). Throws for an unknown key and the last one. */
export async function retireSigningKey(
  ctx: Pick<Context, "db" | "clock">,
  { kid, reason }: { kid: string; reason: string },
): Promise<string> {
  const row = await callOne(ctx.db, "withdraw_signing_key", { kid, reason, moment: ctx.clock.now() })
  const outcome = row.withdraw_signing_key ?? ""
  const answer = ANSWERS[outcome]
  if (!answer) throw new Error(FAULTS[outcome] ?? outcome)
  return answer
}

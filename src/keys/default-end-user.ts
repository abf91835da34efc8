import type { Credential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"

/** The end user of a key's requests that name none: its setting, or the id of the key. */
export async function defaultEndUserOf(ctx: Context, credential: Credential): Promise<string> {
  const { rows } = await readAs(ctx, credential, (db) =>
    db
      .selectFrom("api_keys as k")
      .innerJoin("caller", "caller.key_id", "k.key_id")
      .select(({ fn, ref }) => fn.coalesce(ref("k.default_end_user_ref"), ref("k.key_id")).as("end_user")),
  )
  const [own] = rows
  if (own) return own.end_user
  throw new TurnpikeError("VALIDATION_FAILED", "end_user_ref: is required", { param: "end_user_ref" })
}

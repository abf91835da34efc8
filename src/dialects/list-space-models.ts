import type { Credential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import { listSpaces } from "../spaces/list-spaces.ts"
import type { SpaceRow } from "../spaces/serialize-space.ts"
import { DIALECT_POLICY } from "./policies.ts"

/** The active spaces in the key's scope, newest first, up to `modelPages` pages. */
export async function listSpaceModels(ctx: Context, credential: Credential): Promise<SpaceRow[]> {
  const found: SpaceRow[] = []
  let cursor: string | null = null
  for (let page = 0; page < DIALECT_POLICY.modelPages; page++) {
    const { data, next_cursor } = await listSpaces(ctx, credential, {
      filters: { archived: "false" },
      limit: DIALECT_POLICY.modelPage,
      ...(cursor !== null && { cursor }),
    })
    found.push(...data)
    cursor = next_cursor
    if (cursor === null) break
  }
  return found
}

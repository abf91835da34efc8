import type { Context } from "../actor/context.ts"
import type { SealTarget } from "../base/key-ring.ts"
import { call } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"
import type { Answers } from "../platform/procedures.ts"

/** A container of a space, as a claim returns it, with sealed headers. */
export type MappedContainer = Answers["mapped_container"]

/** A container with decrypted headers. */
export interface Container {
  name: string
  url: string
  headers: Record<string, string>
}

const target = (space: string, container: string): SealTarget => ({
  table: "container_mappings",
  column: "headers",
  row: container,
  owner: space,
})

export async function sealHeaders(
  { keyRing }: Pick<Context, "keyRing">,
  { space, container, headers }: { space: string; container: string; headers: Record<string, string> },
): Promise<string> {
  return keyRing.seal(JSON.stringify(headers), target(space, container))
}

/** Decrypts the headers of containers. If their key is not the newest, seals them again in the background. */
export function openContainers(ctx: Context, space: string, mapped: readonly MappedContainer[]): Promise<Container[]> {
  return Promise.all(
    mapped.map(async ({ container, url, headers }) => {
      if (headers === null) return { name: container, url, headers: {} }
      const { text, stale } = await ctx.keyRing.open(headers, target(space, container))
      if (stale) ctx.background(rewrap(ctx, { space, container, old: headers, text }))
      return { name: container, url, headers: JSON.parse(text) as Record<string, string> }
    }),
  )
}

async function rewrap(
  ctx: Context,
  { space, container, old, text }: { space: string; container: string; old: string; text: string },
): Promise<void> {
  try {
    const sealed = await ctx.keyRing.seal(text, target(space, container))
    await call(ctx.db, "reseal_container", { space, container, old, sealed })
  } catch (error) {
    ctx.log("error", "container.rewrap_failed", { space, container, error: describeError(error) })
  }
}

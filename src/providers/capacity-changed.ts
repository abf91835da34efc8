import type { Context } from "../actor/context.ts"

/** Called whenever an account may no longer be called: what the pools can serve is to be published anew. */
export function capacityChanged(_ctx: Context): void {}

import type { World } from "./world.ts"

/** Moves a world's clock to that of this machine, which real servers of other people go by. */
export const moveToRealTime = (world: Pick<World, "advance" | "clock">) => world.advance(Date.now() - world.clock.ms())

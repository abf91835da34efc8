import { everyOf, type QueryWord } from "../api/words.ts"

export type PoolName = QueryWord<"getCapacity", "provider">

export const POOL_NAMES = everyOf<PoolName>()(["main", "alt-pool"])

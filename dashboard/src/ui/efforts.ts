import type { Manifest } from "../api/operations.ts"
import { choicesOf } from "../api/words.ts"

/** How much a model reasons before it answers. */
export type Effort = NonNullable<Manifest["reasoning"]>["effort"]

export const EFFORT_CHOICES = choicesOf<Effort>({ none: "None", low: "Low", medium: "Medium", high: "High" })

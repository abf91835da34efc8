import * as z from "zod"
import type { Context } from "../actor/context.ts"
import { MODEL_SETTINGS } from "../base/words.ts"
import { call } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"

/** Limits of a model besides those of its catalog row: what its provider has refused. */
export const learnedSchema = z
  .strictObject({
    max_output_tokens: z
      .int()
      .min(1)
      .max(10_000_000)
      .optional()
      .meta({ description: "The most output tokens that it takes.", example: 8192 }),
    context_tokens: z
      .int()
      .min(1)
      .max(100_000_000)
      .optional()
      .meta({ description: "The most tokens of prompt and answer.", example: 131_072 }),
    images: z.int().min(0).max(1_000).optional().meta({ description: "The most images in one call.", example: 1 }),
    without: z
      .array(z.enum(MODEL_SETTINGS))
      .max(MODEL_SETTINGS.length)
      .optional()
      .meta({
        description: "Settings that it refuses. They are left out; the form of a result is asked for with a tool.",
        example: ["temperature"],
      }),
  })
  .meta({ id: "LearnedLimits" })

export type Learned = z.infer<typeof learnedSchema>

/** Keeps what a refusal has taught, for all later calls of the model. Never throws: the next refusal teaches it. */
export function learnLimits(ctx: Context, pin: string, learned: Learned): void {
  ctx.log("info", "model.learned", { model: pin, ...learned, without: learned.without?.join(" ") })
  const kept = call(ctx.db, "learn_limits", { pin, learned })
  ctx.background(
    kept.catch((error: unknown) => ctx.log("error", "model.unlearned", { model: pin, error: describeError(error) })),
  )
}

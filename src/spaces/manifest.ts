import * as z from "zod"

/** A space's agent, as the customer configures it (design section 4). */
export const manifestSchema = z
  .strictObject({
    instructions: z.string().max(100_000).optional().meta({ description: "The agent's system instructions." }),
    model: z.string().min(1).max(128).optional().meta({ description: "A pin, `engine/model`." }),
    temperature: z.number().min(0).max(2).optional(),
    max_output_tokens: z.int().min(1).max(1_000_000).optional().meta({ description: "For each model call." }),
    max_steps: z.int().min(1).max(64).optional().meta({ description: "Model calls in one turn. Default 16." }),
    timeout_seconds: z.int().min(1).max(3600).optional().meta({ description: "For the whole turn. Default 300." }),
    history: z
      .strictObject({
        max_turns: z.int().min(0).max(100).optional().meta({ description: "Earlier turns shown. Default 20." }),
        max_tokens: z
          .int()
          .min(0)
          .max(1_000_000)
          .optional()
          .meta({ description: "And at most so many tokens of them." }),
      })
      .optional(),
  })
  .meta({ id: "Manifest", description: "How the space's agent works." })

export type Manifest = z.infer<typeof manifestSchema>

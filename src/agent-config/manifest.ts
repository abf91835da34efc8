import * as z from "zod"
import { BUILTIN_TOOLS, subagentName } from "./names.ts"

const pin = z.string().min(1).max(128)
const maxOutputTokens = z.int().min(1).max(1_000_000)
const maxSteps = z.int().min(1).max(64)

const subagentSchema = z
  .strictObject({
    name: subagentName,
    description: z.string().min(1).max(2000).meta({ description: "What it is good at: the agent reads this." }),
    instructions: z.string().max(100_000).optional().meta({ description: "Its own system instructions." }),
    model: pin.optional().meta({ description: "A pin. Default: the agent's own." }),
    tools: z
      .array(z.string().min(1).max(96))
      .max(100)
      .optional()
      .meta({
        description:
          "The tools it may call, by name: `name`, `server__tool`, `server__*`, or a built-in tool. Default: " +
          "all tools of the agent.",
      }),
    max_steps: maxSteps.optional().meta({ description: "The limit of model calls for one task. Default 16." }),
    max_output_tokens: maxOutputTokens.optional(),
  })
  .meta({ id: "Subagent", description: "An agent that this one may delegate to, one level deep." })

/** A space's agent, as the customer configures it (docs/architecture/tools.md). */
export const manifestSchema = z
  .strictObject({
    instructions: z.string().max(100_000).optional().meta({ description: "The agent's system instructions." }),
    model: pin.optional().meta({ description: "A pin, `engine/model`." }),
    temperature: z.number().min(0).max(2).optional().meta({ description: "Default: the model's own." }),
    max_output_tokens: maxOutputTokens.optional().meta({ description: "The limit of each model call." }),
    max_steps: maxSteps.optional().meta({ description: "The limit of model calls in one turn. Default 16." }),
    timeout_seconds: z
      .int()
      .min(1)
      .max(3600)
      .optional()
      .meta({ description: "The time limit of the whole turn. Default 300." }),
    history: z
      .strictObject({
        max_turns: z
          .int()
          .min(0)
          .max(100)
          .optional()
          .meta({ description: "How many earlier turns it sees, out of the last 1,000. Default 20." }),
        max_tokens: z
          .int()
          .min(0)
          .max(1_000_000)
          .optional()
          .meta({ description: "The most tokens that they may have together." }),
      })
      .optional()
      .meta({ description: "How much of its conversation the agent sees." }),
    builtin_tools: z
      .array(z.enum(BUILTIN_TOOLS))
      .max(BUILTIN_TOOLS.length)
      .optional()
      .meta({
        description:
          "Built-in tools that the agent has. Default: the file tools, except with `openai-compatible` models, " +
          "since some of them cannot call tools. `generate_image` makes pictures, each at a price of its own; live turns " +
          "have it while the service has a model for pictures.",
      }),
    image_model: pin.optional().meta({
      description:
        "The pin of the model that `generate_image` makes pictures by, one of the `image_models` of `GET /v1/models`. " +
        "Default: the first of them.",
      example: "openai/gpt-image-1",
    }),
    subagents: z
      .array(subagentSchema)
      .max(16)
      .refine((agents) => new Set(agents.map(({ name }) => name)).size === agents.length, "must have different names")
      .optional()
      .meta({ description: "Agents that this agent may delegate tasks to." }),
  })
  .meta({
    id: "Manifest",
    description: "How the space's agent works.",
    examples: [{ instructions: "You answer for the shop. Be brief.", max_steps: 8 }],
  })

export type Manifest = z.infer<typeof manifestSchema>

/** The pin of a manifest's model for pictures, with the field that names it. */
export function imagePinOf(manifest: Manifest | undefined): { param: string; pin: string }[] {
  return manifest?.image_model === undefined ? [] : [{ param: "image_model", pin: manifest.image_model }]
}

/** Every pin of an agent that a manifest names, with the field that names it. */
export function pinsOf(manifest: Manifest | undefined): { param: string; pin: string }[] {
  const named = [
    { param: "model", pin: manifest?.model },
    ...(manifest?.subagents ?? []).map(({ model }, index) => ({ param: `subagents.${index}.model`, pin: model })),
  ]
  return named.flatMap(({ param, pin }) => (pin === undefined ? [] : [{ param, pin }]))
}

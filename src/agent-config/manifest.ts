import * as z from "zod"
import { isTimeZone } from "../base/time-zone.ts"
import { EFFORTS, SERVICE_TIERS } from "../base/words.ts"
import { approvalSchema } from "./approval.ts"
import { BUILTIN_TOOLS, DELEGATE, subagentName } from "./names.ts"
import { responseFormatSchema } from "./response-format.ts"
import { withVariables } from "./variables.ts"

const pin = z.string().min(1).max(128)
const maxOutputTokens = z.int().min(1).max(1_000_000)
const instructions = withVariables(z.string().max(100_000))
const maxSteps = z.int().min(1).max(64)

export const temperatureSchema = z.number().min(0).max(2)

export const reasoningSchema = z
  .strictObject({
    effort: z.enum(EFFORTS).meta({
      description:
        "`none`: no reasoning, as far as the model can do without it. `high`: most of the output may be reasoning.",
      example: "low",
    }),
  })
  .meta({ id: "Reasoning", description: "How much the model reasons before it answers." })

export const serviceTierSchema = z.enum(SERVICE_TIERS).meta({
  description:
    "How the model's provider is asked to serve the calls of the agent and its sub-agents. `flex` is cheaper and slower; `priority`, `fast` and " +
    "`ultrafast` are dearer and faster; `default` is the usual service. The answer says how it was served, and is billed with the factor " +
    "of that (`price_modifiers` of `GET /v1/models`). A tier without a factor is not asked for. Default: as the provider's account says.",
  example: "flex",
})

/** How a model answers: settings of a manifest and of a turn. */
export const settingsFields = {
  temperature: temperatureSchema.optional().meta({ description: "Default: the default of the model.", example: 0.2 }),
  max_output_tokens: maxOutputTokens.optional().meta({
    description: "The maximum number of output tokens of each model call, with reasoning.",
    example: 2_000,
  }),
  reasoning: reasoningSchema.optional().meta({
    description: "Default: the default of the model. A model that cannot reason answers without it.",
  }),
}

/** The longest wait of a turn in seconds: by default, and at most. */
export const WAIT_POLICY = { usualSeconds: 86_400, mostSeconds: 30 * 86_400, leastSeconds: 60 } as const

export const onLimitSchema = z.enum(["fail", "wait"]).meta({
  description:
    "A turn that cannot pay for its next model call does this. `fail` (the default) ends it with its partial result. With `wait` it " +
    "continues once the limit allows it.",
})

export const maxWaitSchema = z
  .int()
  .min(WAIT_POLICY.leastSeconds)
  .max(WAIT_POLICY.mostSeconds)
  .meta({
    description: `How long a turn waits for a limit, a decision or a result before it fails. Default ${WAIT_POLICY.usualSeconds}.`,
  })

/** How an agent gets the tools of its servers and of its owner. */
export const TOOL_MODES = ["auto", "all", "search"] as const

/** When `auto` searches: more tools than this, or a larger share of the model's window. */
export const TOOL_SEARCH = { tools: 40, window: 0.1 } as const

const subagentSchema = z
  .strictObject({
    name: subagentName,
    description: withVariables(z.string().min(1).max(2000)).meta({
      description: "When to use the sub-agent. The agent reads this text.",
    }),
    instructions: instructions.optional().meta({ description: "The sub-agent's system instructions." }),
    model: pin.optional().meta({ description: "The pin of the sub-agent's model. Default: the model of the agent." }),
    tools: z
      .array(z.string().min(1).max(96))
      .max(100)
      .optional()
      .meta({
        description:
          "The names of the tools that the sub-agent can call: `name`, `server__tool`, `server__*`, or a built-in tool. Default: " +
          "all tools of the agent.",
      }),
    max_steps: maxSteps.optional().meta({ description: "The maximum number of model calls for one task. Default 16." }),
    max_output_tokens: maxOutputTokens.optional(),
  })
  .meta({
    id: "Subagent",
    description: "An agent to which the main agent can delegate tasks. Sub-agents cannot delegate.",
  })

/** The configuration of a space's agent (docs/architecture/tools.md). */
export const manifestSchema = z
  .strictObject({
    instructions: instructions.optional().meta({
      description:
        "The agent's system instructions. They may have variables, such as `{{today}}` or `{{profile.name}}`. Each is sent as its " +
        "name in square brackets, and a note with each turn has the values.",
    }),
    time_zone: z
      .string()
      .max(64)
      .refine(isTimeZone, "must be a time zone of the IANA database, such as Europe/Berlin")
      .optional()
      .meta({
        description:
          "The zone of `{{now}}` and `{{today}}`. `time_zone` of an end user's profile replaces it. Default: UTC.",
        example: "Europe/Berlin",
      }),
    model: pin
      .optional()
      .meta({ description: "The pin of the model, `engine/model`. Default: the model of the space." }),
    ...settingsFields,
    service_tier: serviceTierSchema.optional(),
    response_format: responseFormatSchema.optional().meta({
      description:
        "The form of the results of all turns that ask for none. The order of properties is not kept: send the form with the turn if " +
        "it matters.",
    }),
    max_steps: maxSteps.optional().meta({ description: "The maximum number of model calls of one turn. Default 16." }),
    timeout_seconds: z
      .int()
      .min(1)
      .max(3600)
      .optional()
      .meta({ description: "The time limit of a turn, in seconds. Default 300." }),
    history: z
      .strictObject({
        max_turns: z
          .int()
          .min(0)
          .max(100)
          .optional()
          .meta({
            description:
              "The maximum number of earlier turns that the agent sees, from the last 1,000. It sees at least half of them, so that " +
              "the provider's cache helps. Default 20.",
          }),
        max_tokens: z
          .int()
          .min(0)
          .max(1_000_000)
          .optional()
          .meta({ description: "The maximum number of tokens of these turns together." }),
        summary: z
          .boolean()
          .optional()
          .meta({
            description:
              "True: turns that leave the history are summarised by a model call, which is billed as `summary`, and later turns see " +
              "the summary. Default false: they are left out.",
            example: true,
          }),
        model: pin.optional().meta({
          description: "The pin of the model that writes summaries. Default: the model of the turn.",
          example: "openai/gpt-5-mini",
        }),
      })
      .optional()
      .meta({ description: "The part of the conversation that the agent sees." }),
    builtin_tools: z
      .array(z.enum(BUILTIN_TOOLS))
      .max(BUILTIN_TOOLS.length)
      .optional()
      .meta({
        description:
          "The built-in tools of the agent. Default: the file tools, except for `openai-compatible` models, " +
          "because some of them cannot call tools. `generate_image` creates pictures, each at a fixed price. Live turns " +
          "have it only while the service has an image model.",
      }),
    tools: z
      .strictObject({
        mode: z.enum(TOOL_MODES).meta({
          description:
            "`all`: each prompt has the definitions of all tools. `search`: it has the names of servers and of groups of " +
            "tools, and the agent finds tools with `find_tools` and calls them with `call_tool`. `auto` (the default): `search` " +
            `with more than ${TOOL_SEARCH.tools} tools, or if they fill more than ${TOOL_SEARCH.window * 100} % of the model's window.`,
        }),
      })
      .optional()
      .meta({
        description: "How agents get REST tools and the tools of MCP servers. Built-in tools are always in the prompt.",
        example: { mode: "auto" },
      }),
    approvals: z
      .partialRecord(z.enum([...BUILTIN_TOOLS, DELEGATE]), approvalSchema)
      .optional()
      .meta({
        description: "Calls of built-in tools that wait until a person allows them, by the name of the tool.",
        example: { write_file: "always" },
      }),
    on_limit: onLimitSchema.optional(),
    max_wait_seconds: maxWaitSchema.optional(),
    image_model: pin.optional().meta({
      description:
        "The pin of the model that `generate_image` uses, one of the `image_models` of `GET /v1/models`. " +
        "Default: the first of them.",
      example: "openai/gpt-image-1",
    }),
    subagents: z
      .array(subagentSchema)
      .max(16)
      .refine((agents) => new Set(agents.map(({ name }) => name)).size === agents.length, "must have different names")
      .optional()
      .meta({ description: "Agents to which this agent can delegate tasks." }),
  })
  .meta({
    id: "Manifest",
    description: "The configuration of a space's agent.",
    examples: [{ instructions: "You answer for the shop. Be brief.", max_steps: 8 }],
  })

export type Manifest = z.infer<typeof manifestSchema>

/** The image model's pin in a manifest, with the field that contains it. */
export function imagePinOf(manifest: Manifest | undefined): { param: string; pin: string }[] {
  return manifest?.image_model === undefined ? [] : [{ param: "image_model", pin: manifest.image_model }]
}

/** All pins of chat models in a manifest, each with the field that contains it. */
export function pinsOf(manifest: Manifest | undefined): { param: string; pin: string }[] {
  const named = [
    { param: "model", pin: manifest?.model },
    { param: "history.model", pin: manifest?.history?.model },
    ...(manifest?.subagents ?? []).map(({ model }, index) => ({ param: `subagents.${index}.model`, pin: model })),
  ]
  return named.flatMap(({ param, pin }) => (pin === undefined ? [] : [{ param, pin }]))
}

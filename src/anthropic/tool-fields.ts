import * as z from "zod"
import { type TurnTools, turnToolsOf } from "../dialects/caller-tools.ts"

const OTHER_TOOLS = "must be `custom`: other tools belong to the space, where `PUT /v1/spaces/{space_id}` sets them"

/** The fields of tools in a request. */
export const messageToolFields = {
  tools: z
    .array(
      z
        .object({
          type: z.literal("custom", { error: OTHER_TOOLS }).nullish(),
          name: z.string().min(1).max(128),
          description: z.string().nullish(),
          input_schema: z.record(z.string(), z.unknown()),
        })
        .meta({ id: "AnthropicTool" }),
    )
    .optional()
    .meta({
      description:
        "Your own tools, as `tools` of a turn. The model's calls of them are `tool_use` blocks, and you send their results with the next " +
        "request. Tools of the space run as always.",
    }),
  tool_choice: z
    .object({
      type: z.enum(["auto", "any", "tool", "none"]),
      name: z.string().nullish(),
      disable_parallel_tool_use: z.boolean().nullish(),
    })
    .refine(({ type, name }) => (type === "tool") === (typeof name === "string"), {
      path: ["name"],
      error: "is required for the type `tool`, and not allowed for others",
    })
    .optional()
    .meta({
      description:
        "`any` is `required` of a turn. `disable_parallel_tool_use`: at most one call in each answer of the model. Has no effect without `tools`.",
      example: { type: "auto" },
    }),
}

const toolsSchema = z.object(messageToolFields)

/** The same for a turn. Throws VALIDATION_FAILED. */
export function turnTools({ tools = [], tool_choice: choice }: z.output<typeof toolsSchema>): TurnTools {
  const words = { auto: "auto", any: "required", none: "none" } as const
  return turnToolsOf({
    tools: tools.map(({ name, description, input_schema: schema }) => ({ name, description, schema })),
    choice: choice && (choice.type === "tool" ? { name: choice.name ?? "" } : words[choice.type]),
    parallel: choice?.disable_parallel_tool_use === true ? false : undefined,
    inside: "",
    schemaField: "input_schema",
  })
}

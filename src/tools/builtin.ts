import * as z from "zod"
import { type BoundTool, errorRun, type ToolCallPlace, type ToolRun } from "./bound-tool.ts"

/** A tool of our own: its zod schema is what the model is told and what its input is held to. */
export function builtin<Input extends z.ZodType>(
  { name, description, input }: { name: string; description: string; input: Input },
  run: (input: z.output<Input>, place: ToolCallPlace) => Promise<ToolRun>,
): BoundTool {
  const { $schema: _dialect, ...inputSchema } = z.toJSONSchema(input, { io: "input" }) as Record<string, unknown>
  return {
    spec: { name, description, inputSchema },
    async run(given, place) {
      const checked = input.safeParse(given)
      return checked.success
        ? run(checked.data, place)
        : errorRun(`The input is wrong: ${z.prettifyError(checked.error)}`)
    },
  }
}

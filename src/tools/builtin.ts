import * as z from "zod"
import { type BoundTool, errorRun, type ToolCallPlace, type ToolRun } from "./bound-tool.ts"

/** A tool of our own: its zod schema is what the model is told and what its input is held to. */
export function builtin<Input extends z.ZodType>(
  { name, description, input }: { name: string; description: string; input: Input },
  run: (input: z.output<Input>, place: ToolCallPlace) => Promise<ToolRun>,
): BoundTool {
  return {
    spec: { name, description, inputSchema: jsonSchemaOf(input) },
    async run(given, place) {
      const checked = input.safeParse(given)
      return checked.success
        ? run(checked.data, place)
        : errorRun(`The input is wrong: ${z.prettifyError(checked.error)}`)
    },
  }
}

/** Written once for each schema of ours, since that takes longer than most of a turn. */
const known = new WeakMap<z.ZodType, Record<string, unknown>>()

function jsonSchemaOf(input: z.ZodType): Record<string, unknown> {
  const written = known.get(input)
  if (written) return written
  const { $schema: _dialect, ...schema } = z.toJSONSchema(input, { io: "input" }) as Record<string, unknown>
  known.set(input, schema)
  return schema
}

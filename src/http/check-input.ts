import * as z from "zod"
// Named imports: through `z.core`, a bundle would contain the texts of zod in all its languages.
import { config, util } from "zod/v4/core"

/** The most faults that a response reports. */
export const MAX_FAULTS = 100

/**
 * Like `safeParseAsync`, but reports only the first faults. A body of a few hundred kilobytes can
 * have as many faults as bytes, and describing a fault costs a hundred times as much as finding it.
 */
export async function checkInput<Schema extends z.core.$ZodType>(
  schema: Schema,
  value: unknown,
): Promise<z.ZodSafeParseResult<z.core.output<Schema>>> {
  const ctx = { async: true }
  const result = await schema._zod.run({ value, issues: [] }, ctx)
  if (result.issues.length === 0) return { success: true, data: result.value as z.core.output<Schema> }
  const worded = (issue: z.core.$ZodRawIssue) => util.finalizeIssue(issue, ctx, config())
  const error = new z.ZodError(result.issues.slice(0, MAX_FAULTS).map(worded))
  return { success: false, error: error as z.ZodError<z.core.output<Schema>> }
}

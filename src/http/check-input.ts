import * as z from "zod"

/** So many faults are reported at most: the first ones say what is wrong with the rest. */
export const MAX_FAULTS = 100

/**
 * The same as `safeParseAsync`, with the first faults only. A body of a few hundred kilobytes can have as many faults as bytes, and the
 * words for each of them cost a hundred times what it costs to find it.
 */
export async function checkInput<Schema extends z.core.$ZodType>(
  schema: Schema,
  value: unknown,
): Promise<z.ZodSafeParseResult<z.core.output<Schema>>> {
  const ctx = { async: true }
  const result = await schema._zod.run({ value, issues: [] }, ctx)
  if (result.issues.length === 0) return { success: true, data: result.value as z.core.output<Schema> }
  const worded = (issue: z.core.$ZodRawIssue) => z.core.util.finalizeIssue(issue, ctx, z.core.config())
  const error = new z.ZodError(result.issues.slice(0, MAX_FAULTS).map(worded))
  return { success: false, error: error as z.ZodError<z.core.output<Schema>> }
}

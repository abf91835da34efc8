/** The limits of the schema of a result. */
export const FORMAT_POLICY = {
  bytes: 64 * 1024,
  refs: 256,
  properties: 5_000,
  /** The values of all lists of `enum`. */
  values: 5_000,
  /** The schemas that references and combinations put on one value. */
  expansion: 2_000,
} as const

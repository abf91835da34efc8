/** The error that `work` fails with; null when it succeeds. */
export const failureOf = (work: Promise<unknown>): Promise<Error | null> =>
  work.then(
    () => null,
    (error: unknown) => error as Error,
  )

/** What `work` fails with; null when it does not. */
export const failureOf = (work: Promise<unknown>): Promise<Error | null> =>
  work.then(
    () => null,
    (error: unknown) => error as Error,
  )

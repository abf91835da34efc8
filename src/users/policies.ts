/** The most rows that the first steps of an account look at (src/users/get-setup.ts). */
export const SETUP_POLICY = {
  keys: 50,
  turnsOfKey: 5,
  spaces: 1_000,
  refused: 10,
  refusedDays: 7,
} as const

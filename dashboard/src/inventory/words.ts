/** The API takes any text here, so its document has no list of these. */
export const ORIGINS = ["api", "dashboard", "messenger"] as const
export type Origin = (typeof ORIGINS)[number]

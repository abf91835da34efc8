/** The API accepts any text as an origin, so its OpenAPI document does not list them. */
export const ORIGINS = ["api", "dashboard", "messenger"] as const
export type Origin = (typeof ORIGINS)[number]

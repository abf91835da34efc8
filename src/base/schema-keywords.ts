/** The keywords of JSON Schema whose values are numbers and that limit a number. */
export const NUMBER_KEYWORDS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"] as const

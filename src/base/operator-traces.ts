/** The operator's endpoint for spans, from the variables that OpenTelemetry names. */
export interface OperatorTraces {
  url: string
  headers: Record<string, string>
  /** The name of this service in the spans; null: the brand. */
  service: string | null
  withText: boolean
}

/**
 * Parses OTEL_EXPORTER_OTLP_HEADERS: `name=value` pairs, separated by commas, with percent-encoded values. Throws for
 * anything else, without the value.
 */
export function parseOtelHeaders(text: string): Record<string, string> {
  const pairs = text.split(",").filter((pair) => pair.trim() !== "")
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name, value = ""] = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? []
      if (name === undefined) throw new Error("must be name=value pairs, separated by commas")
      return [name.toLowerCase(), decoded(value)]
    }),
  )
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    throw new Error("has a value with an invalid percent-encoding")
  }
}

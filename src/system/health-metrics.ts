import type { Health } from "./get-health.ts"

/** The checks in the text format of Prometheus, version 0.0.4. An unknown value has no line. */
export function healthMetrics({ status, checks }: Health): string {
  const lines = (name: string, help: string, values: (readonly [check: string, value: number])[]) => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} gauge`,
    ...values.map(([label, value]) => `${name}{check="${label}"} ${value}`),
  ]
  return [
    "# HELP turnpike_up 1 if every check passes.",
    "# TYPE turnpike_up gauge",
    `turnpike_up ${status === "ok" ? 1 : 0}`,
    ...lines(
      "turnpike_check_ok",
      "1 if the check passes, and 0 if it fails.",
      checks.flatMap(({ name, ok }) => (ok === null ? [] : [[name, ok ? 1 : 0] as const])),
    ),
    ...lines(
      "turnpike_check_value",
      "The figure that the check compares.",
      checks.flatMap(({ name, value }) => (value === null ? [] : [[name, value] as const])),
    ),
    "",
  ].join("\n")
}

import type { ModelError } from "../agent/engine.ts"
import type { ProviderDetails } from "../agent/provider-said.ts"
import type { RefusalCause } from "../agent/refusal-causes.ts"

/** The failures of a turn whose request a provider refused. */
const REFUSED: Record<RefusalCause, { code: string; says: (details: Partial<ProviderDetails>) => string }> = {
  // A prompt that is too long is made shorter first (call-step.ts).
  context: { code: "CONTEXT_TOO_LONG", says: () => "The model's provider refused the request as too long" },
  file: {
    code: "FILE_REJECTED",
    says: ({ file }) => `The model's provider refused ${named("the file", file, "a file")}`,
  },
  tool: {
    code: "TOOL_SCHEMA_REJECTED",
    says: ({ tool }) => `The model's provider refused ${named("the tool", tool, "the schema of a tool")}`,
  },
  parameter: { code: "PARAMETER_REJECTED", says: refusedParameter },
  output: { code: "PARAMETER_REJECTED", says: refusedParameter },
  content: { code: "CONTENT_REJECTED", says: () => "The model's provider refused the content of the request" },
  ours: {
    code: "MODEL_UNAVAILABLE",
    says: () => "The model cannot be called at the moment, for a reason of the service",
  },
  other: { code: "MODEL_REJECTED", says: () => "The model's provider refused the request" },
}

function refusedParameter({ parameter }: Partial<ProviderDetails>): string {
  return `The model's provider refused ${named("the parameter", parameter, "a parameter")}`
}

const named = (what: string, name: string | null | undefined, unknown: string) => (name ? `${what} "${name}"` : unknown)

/** The code and the message of a turn whose request was refused. The message of our own fault stays ours. */
export function refusedAs({ refusal, details }: ModelError): { code: string; message: string } {
  const cause = refusal?.cause ?? "other"
  const { code, says } = REFUSED[cause]
  const said = cause === "ours" ? null : details?.message
  return { code, message: `${says(details ?? {})}${said ? `: ${said.replace(/[.\s]+$/, "")}.` : "."}` }
}

/** How the operator's own fault is named in the list of failures; null: the request is the cause. */
export function ownFaultOf({ status, refusal }: ModelError): "unauthorized" | "forbidden" | "no_model" | null {
  if (refusal?.cause !== "ours") return null
  if (status === 401) return "unauthorized"
  return status === 404 ? "no_model" : "forbidden"
}

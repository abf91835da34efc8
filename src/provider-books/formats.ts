import { ANTHROPIC_REPORT } from "./anthropic-report.ts"
import { OPENAI_REPORT } from "./openai-report.ts"
import { OPENROUTER_REPORT } from "./openrouter-report.ts"
import type { ReportFormat } from "./report-format.ts"

export const FORMAT_NAMES = ["anthropic", "openai", "openrouter"] as const
export type FormatName = (typeof FORMAT_NAMES)[number]

export const FORMATS: Record<FormatName, ReportFormat> = {
  anthropic: ANTHROPIC_REPORT,
  openai: OPENAI_REPORT,
  openrouter: OPENROUTER_REPORT,
}

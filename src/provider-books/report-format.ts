import type { Fields } from "../base/fields.ts"
import type { BookUnit, ReportDay } from "./report-day.ts"

/** A path below the base URL, with its query. */
export type ReportPath = [path: string, query: readonly (readonly [string, string])[]]

/** How a provider reports the use of an account. */
export interface ReportFormat {
  baseUrl: string
  /** The numbers that its reports have. */
  units: readonly BookUnit[]
  headers(key: string): Record<string, string>
  /** The reports of a day (UTC). `scopeId`: of this workspace or project alone. */
  reports(day: string, scopeId: string | null): { usage: ReportPath; costs?: ReportPath }
  /** Reads the pages of the reports. Throws ReportError for a form that it does not know. */
  read(pages: { usage: Fields[]; costs: Fields[] }, scopeId: string | null): ReportDay
  /** The amount of a single call in credit micros, by the id of its answer. Missing: it lists no single calls. */
  single?: { path(responseId: string): ReportPath; read(answer: Fields): number }
}

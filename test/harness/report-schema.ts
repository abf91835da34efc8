import { adminOperations } from "./admin-requests.ts"
import { ANALYTICS } from "./analytics-world.ts"

/** A report, which must be what its operation declares, with nothing beside it. */
export function declaredReport<Report>(path: string, report: Report): Report {
  const operation = adminOperations.find((one) => `${ANALYTICS}/${path}`.split("?")[0] === one.path)
  if (!operation) throw new Error(`no operation is at ${path}`)
  const declared = operation.answer.schema.parse(report)
  if (JSON.stringify(declared) !== JSON.stringify(report)) throw new Error(`${path} answers more than it declares`)
  return report
}

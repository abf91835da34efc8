import type { SampleCall } from "./client-sample.ts"

/** Words that are no names in Python: `keyword.kwlist`. */
const KEYWORDS = new Set(
  (
    "False None True and as assert async await break class continue def del elif else except finally for " +
    "from global if import in is lambda nonlocal not or pass raise return try while with yield"
  ).split(" "),
)

/** The argument or attribute of a field: `from_` for `from`. */
export const pythonName = (field: string) => (KEYWORDS.has(field) ? `${field}_` : field)

/** The method of the Python client: `end_users.put_limits` for `endUsers.putLimits`. */
export const pythonMethod = (method: string) => method.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Methods that return a download, whose text the sample prints. */
const DOWNLOADS = new Set(["files.content"])

/** The call of an operation with the Python client. */
export function pythonCallOf({ params, query, body, upload }: SampleCall, method: string): string {
  const fields = { ...query, ...(upload ? { data: "Order A-1, paid." } : (body as object | undefined)) }
  const parts = [
    ...Object.values(params).map((value) => pythonLiteral(value, "    ")),
    // A field that is also in the path, such as the name of a tool, is one argument.
    ...Object.entries(fields)
      .filter(([name]) => !(name in params))
      .map(([name, value]) => `${pythonName(name)}=${pythonLiteral(value, "    ")}`),
  ]
  const name = `turnpike.${pythonMethod(method)}`
  const line = `${name}(${parts.join(", ")})`
  const isShort = line.length <= 90 && !line.includes("\n")
  const call = isShort ? line : `${name}(\n${parts.map((part) => `    ${part},\n`).join("")})`
  return DOWNLOADS.has(method) ? `${call}.text()` : call
}

/** The code sample for the Python client. */
export function pythonSample(call: SampleCall, method: string) {
  const source = pythonCallOf(call, method)
  return {
    lang: "Python",
    label: "turnpike for Python",
    source: call.paged ? `for item in ${source}:\n    print(item)` : `print(${source})`,
  }
}

/** A JSON value as a Python literal. `mend` changes the literals of texts. */
export function pythonLiteral(value: unknown, indent: string, mend = (literal: string) => literal): string {
  if (value === null) return "None"
  if (typeof value === "boolean") return value ? "True" : "False"
  if (typeof value !== "object") return mend(JSON.stringify(value))
  const inner = `${indent}    `
  const parts = Array.isArray(value)
    ? value.map((item) => pythonLiteral(item, inner, mend))
    : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${pythonLiteral(item, inner, mend)}`)
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"]
  const line = `${open}${parts.join(", ")}${close}`
  if (line.length <= 60 && !line.includes("\n")) return line
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join("")}${indent}${close}`
}

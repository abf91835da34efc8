/** One call of an operation, with examples in all places. */
export interface SampleCall {
  method: string
  path: string
  params: Record<string, unknown>
  query: Record<string, unknown>
  headers: Record<string, string>
  body: unknown
  /** The body is a file. */
  upload: boolean
  /** The answer is a page of a list. */
  paged: boolean
}

/** Such as `turns.create`: where the client has an operation. Its arguments are the path's, then the body or the query. */
export type ClientMethods = Record<string, string>

/** How curl signs in: with a key in a header, or with a session's cookie, as from a page of the service's own. */
export function curlAuth(
  schemes: Record<string, object>,
  { method, open, byServer }: { method: string; open?: true; byServer?: true },
): string[] {
  const [scheme] = Object.values(schemes) as { in?: string; name?: string }[]
  if (scheme?.in !== "cookie") return [`-H "Authorization: Bearer $TURNPIKE_API_KEY"`]
  const cookie = open ? [] : [`-b "${scheme.name}=$SESSION"`]
  return method === "get" || byServer ? cookie : [...cookie, '-H "Sec-Fetch-Site: same-origin"']
}

/** The call as people run it: with curl, and with the client where it has the operation. */
export function codeSamples(
  call: SampleCall,
  { origin, auth, clientMethod }: { origin: string; auth: string[]; clientMethod?: string | undefined },
) {
  const shell = { lang: "Shell", label: "curl", source: curlOf(call, origin, auth) }
  if (!clientMethod) return [shell]
  return [shell, { lang: "TypeScript", label: "turnpike-client", source: clientCallOf(call, clientMethod) }]
}

function curlOf(
  { method, path, params, query, headers, body, upload }: SampleCall,
  origin: string,
  auth: string[],
): string {
  const filled = path.replace(/\{(\w+)\}/g, (_match, name: string) => encodeURIComponent(String(params[name])))
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString()
  const url = `${origin}${filled}${search && `?${search}`}`
  const hasBody = body !== undefined || upload
  const lines = [
    `curl ${method === "get" || (method === "post" && hasBody) ? "" : `-X ${method.toUpperCase()} `}${quote(url)}`,
    ...auth,
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === undefined
      ? []
      : [`-H "Content-Type: application/json"`, `-d ${quote(JSON.stringify(body, null, 2))}`]),
    ...(upload ? [`-H "Content-Type: text/plain"`, "--data-binary 'Order A-1, paid.'"] : []),
  ]
  return lines.join(" \\\n  ")
}

const quote = (text: string) =>
  /^[\w:/.?=&%-]+$/.test(text) && !text.includes("&") && !text.includes("?")
    ? text
    : `'${text.replaceAll("'", "'\\''")}'`

function clientCallOf({ params, query, body, upload, paged }: SampleCall, method: string): string {
  const last = upload
    ? { ...query, data: "Order A-1, paid." }
    : (body ?? (Object.keys(query).length > 0 ? query : undefined))
  const values = [...Object.values(params), ...(last === undefined ? [] : [last])]
  const call = `turnpike.${method}(${values.map((value) => literal(value, "")).join(", ")})`
  return paged ? `for await (const item of ${call}) console.log(item)` : `await ${call}`
}

/** A value as people write it in TypeScript: keys bare where they may be. */
function literal(value: unknown, indent: string): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const inner = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map((item) => literal(item, inner))
    : Object.entries(value).map(
        ([key, item]) => `${/^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key)}: ${literal(item, inner)}`,
      )
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{ ", " }"]
  const line = `${open}${parts.join(", ")}${close}`
  if (line.length <= 60 && !line.includes("\n")) return parts.length > 0 ? line : line.replace(/ /g, "")
  return `${open.trim()}\n${parts.map((part) => `${inner}${part},\n`).join("")}${indent}${close.trim()}`
}

import { staticFile } from "./served.ts"

/** A call of an operation, built from the examples in its document. */
export interface Documented {
  id: string
  method: string
  path: string
  /** True if the operation needs no authentication. */
  open: boolean
  headers: Record<string, string>
  body: string | undefined
}

interface Described {
  operationId: string
  security?: object[]
  parameters?: { name: string; in: string; example?: unknown }[]
  requestBody?: { content: Record<string, { example?: unknown }> }
}

/** Every operation in an OpenAPI document of the service. */
export async function documentedAt(documentPath: string): Promise<Documented[]> {
  const { paths } = (await (await staticFile(documentPath)).json()) as {
    paths: Record<string, Record<string, Described>>
  }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => documented(path, method, operation)),
  )
}

function documented(path: string, method: string, { operationId, security, parameters = [], requestBody }: Described) {
  const of = (place: string) =>
    parameters
      .filter((parameter) => parameter.in === place && parameter.example !== undefined)
      .map(({ name, example }) => [name, String(example)] as const)
  const filled = of("path").reduce((text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(value)), path)
  const query = new URLSearchParams(of("query").map(([name, value]) => [name, value])).toString()
  const content = requestBody?.content
  const example = content?.["application/json"]?.example
  const type = example ? "application/json" : content ? "application/octet-stream" : undefined
  return {
    id: operationId,
    method: method.toUpperCase(),
    path: query ? `${filled}?${query}` : filled,
    open: security?.length === 0,
    headers: { ...Object.fromEntries(of("header")), ...(type && { "content-type": type }) },
    body: example ? JSON.stringify(example) : content ? "bytes" : undefined,
  }
}

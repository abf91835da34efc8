import { honoPath } from "../../src/http/operation.ts"
import { TableRouter } from "../../src/http/router.ts"
import { addCheck, addFinding, addSuccess } from "./answer-findings.ts"
import { isThorough } from "./crash.ts"
import {
  type DeclaredOperation,
  DOCUMENTS,
  declaredAnswers,
  documentedName,
  isSuccess,
  type OpenApi,
} from "./declared.ts"
import { isSharded } from "./force-shards.ts"
import { staticFile } from "./served.ts"

type Prefix = keyof typeof DOCUMENTS

/** Read once for all files of a run. */
const readers = new Map<Prefix, ReturnType<typeof readDocument>>()

async function readDocument(prefix: Prefix) {
  const { path, surface } = DOCUMENTS[prefix]
  const document = (await (await staticFile(path)).json()) as OpenApi
  const router = new TableRouter<DeclaredOperation>()
  for (const [template, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods))
      router.add(method.toUpperCase(), honoPath(template), operation)
  }
  const operationOf = (method: string, path: string) =>
    router.match(method === "HEAD" ? "GET" : method, path)[0][0]?.[0]
  return { operationOf, faultsOf: declaredAnswers(document, surface) }
}

/**
 * Compares an answer with the document of its operation, while the test continues. The test fails at its end if there
 * is a violation. A stream is compared without its body. The thorough tier repeats the operations of the default tier,
 * so it checks answers in its fuzz tests only.
 */
export function checkAnswer({ method, url }: Request, response: Response): void {
  if (isThorough || isSharded) return
  const { pathname: path } = new URL(url)
  const prefix = (Object.keys(DOCUMENTS) as Prefix[]).find((one) => path.startsWith(one))
  if (!prefix) return
  const isJson = response.headers.get("content-type") === "application/json"
  addCheck(compare(prefix, { method, path, response, text: isJson ? wholeOf(response.clone()) : null }))
}

/** Null for a body that breaks off, as those of failing streams do. */
const wholeOf = (answer: Response): Promise<string | null> => answer.text().catch(() => null)

interface Seen {
  method: string
  path: string
  response: Response
  text: Promise<string | null> | null
}

async function compare(prefix: Prefix, { method, path, response, text: reading }: Seen): Promise<void> {
  const text = await reading
  const reader = readers.get(prefix) ?? readDocument(prefix)
  readers.set(prefix, reader)
  const { operationOf, faultsOf } = await reader
  const operation = operationOf(method, path)
  if (!operation) return
  if (isSuccess(method, response.status)) addSuccess(documentedName(DOCUMENTS[prefix].surface, operation))
  for (const fault of faultsOf(operation, { method, response, text, mayFail: true }))
    addFinding(`${method} ${path} (${operation.operationId}, ${response.status}): ${fault}`)
}

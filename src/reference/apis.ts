import type { Operation } from "../http/operation.ts"
import { CLIENT_METHODS } from "./client-methods.ts"
import type { ClientMethods } from "./client-sample.ts"
import { DASHBOARD_SURFACE } from "./dashboard-surface.ts"
import { openApiDocument } from "./openapi.ts"
import { API_SURFACE, type Surface } from "./surface.ts"

/** An API that has a document and pages of its own. */
export interface Api {
  /** Every operation whose path starts with this prefix belongs to the API. */
  prefix: string
  documentPath: string
  /** The path of the first page. The others are below it. */
  pagePath: string
  /** The name of the pages. */
  name: string
  /** The path of the list of pages for models, in the form of llmstxt.org. */
  llmsPath?: string
  /** The path of all pages in one file, which models look for next to the list. */
  llmsFullPath?: string
  surface: Surface
  /** Names of files in `guides/`, in the order in which a newcomer reads them. */
  guides: string[]
  /** The guide that lists all error codes. */
  errors: string
  /** Questions that readers often have, and the addresses of their answers below `pagePath`. */
  questions: Record<string, string>
  clientMethods?: ClientMethods
}

const V1: Api = {
  prefix: "/v1/",
  documentPath: "/v1/openapi.json",
  pagePath: "/docs",
  name: "Docs",
  llmsPath: "/llms.txt",
  llmsFullPath: "/llms-full.txt",
  surface: API_SURFACE,
  guides: [
    "start",
    "authentication",
    "turns",
    "results",
    "waiting",
    "files",
    "tools",
    "openai",
    "openai-requests",
    "anthropic",
    "frameworks",
    "idempotency",
    "billing",
    "prices",
    "receipts",
    "metering",
    "caps",
    "resale",
    "portal",
    "webhooks",
    "traces",
    "errors",
    "limits",
    "lists",
    "retention",
    "conventions",
    "assistants",
    "compare",
    "compatibility",
  ],
  errors: "errors",
  questions: {
    "How do I send a first turn?": "start#the-first-turn",
    "How do I verify a webhook?": "webhooks#verify-a-webhook",
    "What does 402 mean?": "errors#INSUFFICIENT_CREDITS",
    "How large can a file be?": "limits#size-of-a-file",
    "How do I limit one customer?": "caps#limit-a-customer",
    "Why did a turn fail?": "turns#why-a-turn-failed",
    "Can I send a request twice?": "idempotency#when-to-retry",
    "Can I use OpenAI's client?": "openai#the-first-response",
    "Can I use Anthropic's client?": "anthropic#the-first-message",
    "How do I move from the Assistants API?": "assistants#what-becomes-what",
    "How long does an operation live?": "compatibility#how-an-operation-ends",
    "How do I ask a person first?": "waiting#ask-a-person-first",
    "What is billed?": "billing#what-is-billed",
  },
  clientMethods: CLIENT_METHODS,
}

const DASHBOARD: Api = {
  prefix: "/api/",
  documentPath: "/api/openapi.json",
  pagePath: "/api/docs",
  name: "Dashboard API",
  surface: DASHBOARD_SURFACE,
  guides: ["session", "dashboard-lists", "dashboard-errors", "dashboard-limits"],
  errors: "dashboard-errors",
  questions: {},
}

export const APIS = { v1: V1, dashboard: DASHBOARD }

/** The operations that belong to this API. */
export const operationsOf = ({ prefix }: Api, operations: readonly Operation[]) =>
  operations.filter(({ path }) => path.startsWith(prefix))

interface Describing {
  /** Called with each field that has no example. */
  onMissing?: (path: string) => void
  /** The addresses of the service, if they are known. */
  origins?: readonly string[]
}

/** The OpenAPI document of the given operations of an API. */
export function describeApi(api: Api, operations: readonly Operation[], describing: Describing = {}) {
  const { surface, pagePath, clientMethods } = api
  return openApiDocument(operationsOf(api, operations), {
    surface,
    guidesPath: pagePath,
    ...describing,
    ...(clientMethods && { clientMethods }),
  })
}

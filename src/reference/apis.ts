import type { Operation } from "../http/operation.ts"
import { CLIENT_METHODS } from "./client-methods.ts"
import type { ClientMethods } from "./client-sample.ts"
import { DASHBOARD_SURFACE } from "./dashboard-surface.ts"
import { readGuide } from "./guides.ts"
import { openApiDocument } from "./openapi.ts"
import { API_SURFACE, type Surface } from "./surface.ts"

/** An API that has a document and a page of its own. */
export interface Api {
  /** Every operation whose path starts with this prefix belongs to the API. */
  prefix: string
  documentPath: string
  pagePath: string
  surface: Surface
  /** Names of files in `guides/`, in the order in which a newcomer reads them. */
  guides: string[]
  clientMethods?: ClientMethods
}

const V1: Api = {
  prefix: "/v1/",
  documentPath: "/v1/openapi.json",
  pagePath: "/docs",
  surface: API_SURFACE,
  guides: [
    "start",
    "authentication",
    "turns",
    "idempotency",
    "caps",
    "webhooks",
    "limits",
    "lists",
    "conventions",
    "errors",
  ],
  clientMethods: CLIENT_METHODS,
}

const DASHBOARD: Api = {
  prefix: "/api/",
  documentPath: "/api/openapi.json",
  pagePath: "/api/docs",
  surface: DASHBOARD_SURFACE,
  guides: ["session", "turns", "caps", "limits", "dashboard-lists", "dashboard-errors"],
}

export const APIS = { v1: V1, dashboard: DASHBOARD }

/** The operations that belong to this API. */
export const operationsOf = ({ prefix }: Api, operations: readonly Operation[]) =>
  operations.filter(({ path }) => path.startsWith(prefix))

/**
 * The OpenAPI document of the given operations of an API. `onMissing` is called with each field that has no
 * example.
 */
export function describeApi(api: Api, operations: readonly Operation[], onMissing: (path: string) => void = () => {}) {
  const { surface, guides, clientMethods } = api
  return openApiDocument(operationsOf(api, operations), {
    surface,
    guidesOf: (codes) => guides.map((name) => readGuide(name, codes)),
    onMissing,
    ...(clientMethods && { clientMethods }),
  })
}

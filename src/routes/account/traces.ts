import * as z from "zod"
import type { App } from "../../http/app.ts"
import { sessionOf } from "../../http/session-of.ts"
import {
  getTraceEndpoint,
  putTraceEndpoint,
  putTraceEndpointSchema,
  removeTraceEndpoint,
  traceEndpointAnswerSchema,
  traceEndpointSchema,
} from "../../traces/trace-endpoint.ts"

const tag = "Account"
const path = "/api/account/trace-endpoint"
const theEndpoint = { status: 200, description: "The endpoint.", schema: traceEndpointSchema } as const

export function mountTraceEndpoint(app: App) {
  app.operation(
    {
      method: "get",
      path,
      id: "getTraceEndpoint",
      tag,
      summary: "Read the endpoint for traces",
      description: "The OTLP endpoint that gets the spans of the account's turns, and how its last requests went.",
      answer: { ...theEndpoint, schema: traceEndpointAnswerSchema },
      errors: [],
    },
    async (c) => getTraceEndpoint(c.get("ctx"), sessionOf(c)),
  )

  app.operation(
    {
      method: "put",
      path,
      id: "putTraceEndpoint",
      tag,
      summary: "Set the endpoint for traces",
      description:
        "Creates the endpoint or replaces it. From then on it gets the spans of every turn that ends, a minute or two after the end, by " +
        "OTLP/HTTP as JSON. See [Traces](/docs/traces).",
      body: putTraceEndpointSchema,
      answer: theEndpoint,
      errors: [],
    },
    async (c, { body }) => putTraceEndpoint(c.get("ctx"), sessionOf(c), body),
  )

  app.operation(
    {
      method: "delete",
      path,
      id: "deleteTraceEndpoint",
      tag,
      summary: "Remove the endpoint for traces",
      description: "No more spans are sent, and the stored headers are deleted.",
      answer: { status: 200, description: "The endpoint is removed.", schema: z.object({ deleted: z.literal(true) }) },
      errors: ["NOT_FOUND"],
    },
    async (c) => {
      await removeTraceEndpoint(c.get("ctx"), sessionOf(c))
      return { deleted: true as const }
    },
  )
}

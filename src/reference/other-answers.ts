import type * as z from "zod"
import type { Operation } from "../http/operation.ts"
import type { JsonValue } from "./json-value.ts"
import { answerHeaders, type ErrorResponse } from "./openapi-answers.ts"

/** The schema of bytes. */
export const FILE = { type: "string", format: "binary" }

/** Answers with the schema of the main answer, whose example they share. */
export function alikeAnswers({ answer }: Operation, schema: JsonValue): JsonValue {
  const entries = Object.entries(answer.alike ?? {}).map(([status, description]) => [
    status,
    {
      description,
      headers: answerHeaders(answer.headers),
      content: { "application/json": { schema }, ...otherTypes(answer.also) },
    },
  ])
  return Object.fromEntries(entries)
}

/** The 202 of an answer that is made later. */
export function laterAnswer(
  { answer: { later } }: Operation,
  schemaOf: (schema: z.ZodType, io: "output") => JsonValue,
): JsonValue {
  if (!later) return {}
  const content = { "application/json": { schema: schemaOf(later.schema, "output") } }
  return { 202: { description: later.description, headers: answerHeaders(), content } }
}

export function otherAnswers({ answer }: Operation): JsonValue {
  const entries = Object.entries(answer.others ?? {}).map(([status, description]) => [
    status,
    {
      description,
      headers: answerHeaders(),
      ...(answer.binary && status === "206" && { content: { "*/*": { schema: FILE } } }),
    },
  ])
  return Object.fromEntries(entries)
}

/** Answers to statuses of errors, whose body is either that of the main answer or an error. */
export function failingAnswers(
  { answer }: Operation,
  { schema, errorOf }: { schema: (error: JsonValue) => JsonValue; errorOf: (status: string) => ErrorResponse },
): JsonValue {
  const entries = Object.entries(answer.failing ?? {}).map(([status, description]) => {
    const error = errorOf(status)
    const json = schema(error.content["application/json"].schema)
    const content = { "application/json": { schema: json }, ...otherTypes(answer.also) }
    return [status, { ...error, description: `${description}\n\n${error.description}`, content }]
  })
  return Object.fromEntries(entries)
}

export function otherTypes(types: Record<string, string> = {}): JsonValue {
  const entries = Object.entries(types).map(([type, description]) => [
    type,
    { schema: { type: "string", description } },
  ])
  return Object.fromEntries(entries)
}

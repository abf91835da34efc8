import { type Fields, isFields } from "../base/fields.ts"

export const isString = (value: unknown): value is string => typeof value === "string"
export const fieldsIn = (value: unknown): Fields => (isFields(value) ? value : {})
export const listIn = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isFields) : [])

/** A number, or a number that a server has written as a text. */
export const numberIn = (value: unknown): number | undefined =>
  typeof value === "number" ? value : isString(value) && /^\d{1,9}$/.test(value) ? Number(value) : undefined

/** A text as it is, and any other value as JSON: some servers send a call's arguments as an object. */
export const jsonIn = (value: unknown): string =>
  isString(value) ? value : value === null || value === undefined ? "" : JSON.stringify(value)

/** The frame of an error, in the form that the SDKs accept. */
export const errorFrame = (told: Fields): Fields => ({
  type: "error",
  sequence_number: 0,
  error: { type: "error", ...told },
})

/** The names of Bedrock's exceptions in a stream, such as "modelStreamErrorException". */
const EXCEPTION = /Exception$/

/**
 * The error that a frame reports; null if it reports none. `name`: of its event. Servers write errors in many forms,
 * and a frame without content that has a message is one.
 */
export function errorIn(frame: Fields, name: string): Fields | null {
  const { type, error, detail, object, message, x_groq, choices, usage, response } = frame
  if (isString(error) && error !== "") return errorFrame({ message: error })
  if (isFields(error) && Object.keys(error).length > 0) return errorFrame(plainError(error))
  const told = firstText(message, detail, fieldsIn(x_groq).error)
  if (type === "response.failed" || type === "response.cancelled") {
    return errorFrame(plainError({ message: "The response failed.", ...fieldsIn(fieldsIn(response).error) }))
  }
  if (name === "error" || type === "error" || object === "error") {
    return errorFrame(plainError({ ...frame, type: undefined, message: told ?? JSON.stringify(frame) }))
  }
  if (firstText(fieldsIn(x_groq).error)) return errorFrame({ message: told })
  const exception = Object.entries(frame).find(([key, value]) => EXCEPTION.test(key) && isFields(value))
  if (exception) return errorFrame(plainError({ message: exception[0], ...fieldsIn(exception[1]) }))
  const hasContent = Array.isArray(choices) || isFields(usage)
  const isError = type === undefined || /error|exception/i.test(String(type))
  return told !== undefined && !hasContent && isError ? errorFrame(plainError({ ...frame, message: told })) : null
}

const firstText = (...values: unknown[]) => values.find((value) => isString(value) && value !== "")

/** An error with a message, and with texts as its code and type. */
function plainError(error: Fields): Fields {
  const { message, code, type, param } = error
  const words = (value: unknown) => (isString(value) || typeof value === "number" ? String(value) : undefined)
  return Object.fromEntries(
    Object.entries({
      type: words(type),
      code: words(code),
      param,
      message: isString(message) ? message : JSON.stringify(error),
    }).filter(([, value]) => value !== undefined),
  )
}

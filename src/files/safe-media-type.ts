const UNKNOWN = "application/octet-stream"
const TOKEN = "[a-z0-9][a-z0-9!#$&^_.+-]{0,62}"
const TYPE = new RegExp(`^${TOKEN}/${TOKEN}$`)
const CHARSET = /^\s*charset="?([a-z0-9_.:-]{1,40})"?\s*$/

/**
 * `type/subtype` in lower case with at most a charset (RFC 9110 section 8.3.1, names as RFC 6838 section 4.2 has them);
 * application/octet-stream for anything else.
 */
export function safeMediaType(given: string | null | undefined): string {
  const [type = "", ...parameters] = (given ?? "").toLowerCase().split(";")
  if (!TYPE.test(type.trim())) return UNKNOWN
  const charset = parameters.map((parameter) => CHARSET.exec(parameter)?.[1]).find(Boolean)
  return charset ? `${type.trim()}; charset=${charset}` : type.trim()
}

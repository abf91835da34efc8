import { TurnpikeError } from "../base/errors.ts"

/**
 * Finds the code in a pasted text: `code#state`, the code alone, a whole callback URL, or its query. A
 * state in the text must be the login's. Throws LOGIN_CODE_INVALID, or LOGIN_DENIED if the URL says so.
 */
export function pastedCode(pasted: string, state: string): string {
  const text = cleaned(pasted)
  const answer = answerIn(text) ?? (HOST_FIRST.test(text) ? answerIn(`https://${text}`) : null)
  if (answer?.url === null) throw codeInvalid("The text that you pasted is not a valid URL.")
  if (answer) refuseError(answer.query)
  // Blanks around the parts come from copying. `code#` names no state.
  const [bare = "", after = ""] = text
    .replace(/%23/i, "#")
    .split("#")
    .map((part) => part.trim())
  const given = after === "" ? null : after
  const [code, itsState] = answer ? [once(answer.query, "code") ?? "", once(answer.query, "state")] : [bare, given]
  if (itsState !== null && itsState !== state)
    throw codeInvalid("The code belongs to another login. Paste the code of your newest login.")
  if (!CODE.test(code)) throw codeInvalid("The text that you pasted has no code.")
  return code
}

/**
 * Finds the code in a pasted callback URL: the registered URL with state and code. The scheme, or
 * everything before the query, may be missing. Other parameters are ignored (RFC 6749 section 4.1.2),
 * but a configured issuer must match `iss` (RFC 9207). Throws LOGIN_CODE_INVALID or LOGIN_DENIED.
 */
export function callbackCode(
  pasted: string,
  { state, redirect_uri }: { state: string; redirect_uri: string },
  issuer: string | undefined,
): string {
  const registered = new URL(redirect_uri)
  const text = cleaned(pasted)
  const answer = answerIn(text.startsWith(`${registered.host}/`) ? `${registered.protocol}//${text}` : text)
  const pageOf = ({ href }: URL) => href.replace(/\?[^#]*$/, "")
  if (!answer?.url || (answer.url !== NO_PAGE && pageOf(answer.url) !== pageOf(registered))) {
    throw urlInvalid(
      "This is not the registered callback URL. Paste the whole URL of the page to which the provider redirected you.",
    )
  }
  const { query } = answer
  const theirs = once(query, "state")
  if (theirs === null)
    throw urlInvalid("The URL has no state. Paste the whole URL of the page to which the provider redirected you.")
  if (theirs !== state) throw urlInvalid("The URL belongs to another login. Paste the URL of your newest login.")
  refuseError(query)
  const isOwn = ([name, value]: [string, string]) => query.get(name) === value
  if (answer.url !== NO_PAGE && ![...registered.searchParams].every(isOwn))
    throw urlInvalid("The URL lacks a parameter of the registered callback URL. Paste the whole URL.")
  if (issuer !== undefined && query.has("iss") && once(query, "iss") !== issuer)
    throw urlInvalid("The URL comes from another provider. Paste the URL of this login.")
  const code = once(query, "code") ?? ""
  if (!CODE.test(code)) throw urlInvalid("The URL has no code. Paste the whole URL.")
  return code
}

/** A URL without its scheme: a host, perhaps a path, and a query with a parameter of an answer. */
const HOST_FIRST = /^[a-z0-9.-]+(:\d+)?(\/[^?#]*)?\?([^#]*&)?(code|state|error)=/i

const CODE = /^[\x21-\x7e]{1,4096}$/

/** The `url` of an answer whose query was pasted alone. */
const NO_PAGE = new URL("about:blank")

/** The pasted text without the characters that chats, terminals and mail programs add to a URL. */
function cleaned(pasted: string): string {
  const text = pasted
    .replace(/[\u200b-\u200d\u2060\ufeff\r\n\t]/g, "")
    .trim()
    .replace(/^[<("'`\u2018\u201c]+|[>)"'`\u2019\u201d]+$/g, "")
    .replaceAll("&amp;", "&")
  return /^https?%3A%2F%2F/i.test(text) ? decoded(text) : text
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * The parameters of a pasted URL or query; null for any other text. `url` is
 * null if the URL does not parse.
 */
function answerIn(text: string): { url: URL | null; query: URLSearchParams } | null {
  // Remove an empty fragment, also an encoded one, and `#_=_`, which Facebook's login appends.
  // Blanks come from a line break of the page that was copied.
  const whole = text.replace(/\s+/g, "").replace(/(#|%23)(_=_)?$/i, "")
  if (/^https?:\/\//i.test(whole)) {
    const url = URL.canParse(whole) ? new URL(whole) : null
    return { url, query: url?.searchParams ?? new URLSearchParams() }
  }
  const isQuery = /^(\?|[?&]?(code|state|error)=)/.test(whole)
  return isQuery ? { url: NO_PAGE, query: new URLSearchParams(whole.replace(/^[?&]+/, "")) } : null
}

/** A parameter that must not be repeated (RFC 6749 section 3.1); null when it is missing. */
function once(query: URLSearchParams, name: string): string | null {
  const [value = null, ...more] = query.getAll(name)
  if (more.length > 0) throw codeInvalid(`The text that you pasted has ${name} more than once.`)
  return value
}

/** Throws LOGIN_DENIED with the provider's own words if it redirected with an error instead of a code. */
function refuseError(query: URLSearchParams): void {
  const error = once(query, "error")
  if (error === null) return
  const words = [error, query.get("error_description") ?? ""].map((text) => text.replace(/[^\x20-\x7e]/g, " ").trim())
  const why = words
    .filter((text) => text !== "")
    .join(": ")
    .slice(0, 300)
  throw new TurnpikeError("LOGIN_DENIED", `The provider did not log you in${why === "" ? "." : ` (${why}).`}`)
}

const codeInvalid = (message: string, param = "code") => new TurnpikeError("LOGIN_CODE_INVALID", message, { param })

const urlInvalid = (message: string) => codeInvalid(message, "callback_url")

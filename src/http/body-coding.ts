import { TurnpikeError } from "../base/errors.ts"
import { decodeUtf8 } from "../base/utf8.ts"

/** Charsets whose bytes are UTF-8. */
const UTF8 = ["utf-8", "utf8", "us-ascii", "ascii"]

/** Throws UNSUPPORTED_MEDIA_TYPE for a body that is compressed. Without one, its Content-Encoding does not matter. */
export function refuseEncoded(headers: Headers): void {
  const encoding = headers.get("content-encoding")?.trim() ?? ""
  if (encoding === "" || encoding.toLowerCase() === "identity") return
  throw new TurnpikeError(
    "UNSUPPORTED_MEDIA_TYPE",
    `Bodies with \`Content-Encoding: ${encoding.slice(0, 40)}\` are not read. Send the body as it is, without this header.`,
  )
}

/** Throws UNSUPPORTED_MEDIA_TYPE for text in another charset than UTF-8. */
export function refuseCharset(contentType: string | null): void {
  const charset = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;]*))/i.exec(contentType ?? "")
  const name = (charset?.[1] ?? charset?.[2] ?? "").trim()
  if (name === "" || UTF8.includes(name.toLowerCase())) return
  throw new TurnpikeError(
    "UNSUPPORTED_MEDIA_TYPE",
    `The charset ${name.slice(0, 40)} is not read. Send the text as UTF-8, without another charset in Content-Type.`,
  )
}

/** The text of a JSON body (RFC 8259 section 8.1). Throws INVALID_JSON with the place of a byte that is not UTF-8. */
export function textOfJson(bytes: Uint8Array): string {
  const decoded = decodeUtf8(bytes)
  if ("text" in decoded) return decoded.text
  throw new TurnpikeError("INVALID_JSON", `The body is not UTF-8: ${decoded.fault}. Encode it as UTF-8.`, {
    param: "body",
  })
}

/** Text of a form's head. Throws INVALID_ENCODING with the place of a byte that is not UTF-8. */
export function textOfHead(bytes: Uint8Array): string {
  const decoded = decodeUtf8(bytes)
  if ("text" in decoded) return decoded.text
  throw new TurnpikeError(
    "INVALID_ENCODING",
    `The headers of a part of the form are not UTF-8: ${decoded.fault} of them. Encode names and file names as UTF-8.`,
    { param: "body" },
  )
}

/**
 * A header with text. The runtime decodes UTF-8 and replaces all other bytes, so a header with a replacement character
 * is refused. Throws INVALID_ENCODING.
 */
export function textHeader(headers: Headers, name: string): string | undefined {
  const text = headers.get(name) ?? undefined
  if (!text?.includes("\ufffd")) return text
  throw new TurnpikeError("INVALID_ENCODING", `The header ${name} is not UTF-8. Encode its text as UTF-8.`, {
    param: name,
  })
}

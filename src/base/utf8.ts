const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false })

/** Text from UTF-8 without its byte order mark; or the place and value of the first byte that is not UTF-8. */
export type Decoded = { text: string } | { fault: string }

/** Decodes UTF-8. Never replaces bytes, because two texts would become the same. */
export function decodeUtf8(bytes: Uint8Array): Decoded {
  try {
    return { text: decoder.decode(bytes) }
  } catch {
    const at = firstBad(bytes)
    return { fault: `byte ${at + 1} is 0x${bytes[at]?.toString(16).padStart(2, "0").toUpperCase() ?? "??"}` }
  }
}

/** The index of the byte at which UTF-8 ends (Unicode 17, table 3-7), for bytes that are not UTF-8. */
function firstBad(bytes: Uint8Array): number {
  for (let at = 0; at < bytes.length; ) {
    const length = lengthAt(bytes, at)
    if (length === 0) return at
    at += length
  }
  return bytes.length - 1
}

/** The number of bytes of the character that begins here; 0 if none does. */
function lengthAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0
  if (first < 0x80) return 1
  const length =
    first >= 0xc2 && first < 0xe0 ? 2 : first >= 0xe0 && first < 0xf0 ? 3 : first >= 0xf0 && first < 0xf5 ? 4 : 0
  const least = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80
  const most = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf
  for (let next = 1; next < length; next++) {
    const byte = bytes[at + next] ?? 0
    if (byte < (next === 1 ? least : 0x80) || byte > (next === 1 ? most : 0xbf)) return 0
  }
  return length
}

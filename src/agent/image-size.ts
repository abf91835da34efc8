interface Size {
  width: number
  height: number
}

/** The markers of a JPEG's frame: SOF0 to SOF15, without DHT, JPG and DAC (ITU-T T.81, table B.1). */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/** The size in pixels that the head of an image shows; null if it shows none. `type`: of its bytes (sniffed). */
export function imageSize(bytes: Uint8Array, type: string): Size | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    if (type === "image/png") return { width: view.getUint32(16), height: view.getUint32(20) }
    if (type === "image/gif") return { width: view.getUint16(6, true), height: view.getUint16(8, true) }
    if (type === "image/webp") return webpSize(view)
    return type === "image/jpeg" ? jpegSize(view) : null
  } catch (error) {
    // The head ends too early. The provider decides about such a file.
    if (error instanceof RangeError) return null
    throw error
  }
}

/** RFC 9649, sections 2.5 to 2.7: each form of WebP has its size at another place. */
function webpSize(view: DataView): Size | null {
  const form = String.fromCharCode(...[12, 13, 14, 15].map((at) => view.getUint8(at)))
  const uint24 = (at: number) => view.getUint16(at, true) + view.getUint8(at + 2) * 0x10000
  if (form === "VP8X") return { width: uint24(24) + 1, height: uint24(27) + 1 }
  if (form === "VP8 ") return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
  if (form !== "VP8L") return null
  const bits = view.getUint32(21, true)
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
}

function jpegSize(view: DataView): Size | null {
  // Each segment begins with 0xFF, its marker and its length.
  for (let at = 2; view.getUint8(at) === 0xff; at += 2 + view.getUint16(at + 2)) {
    if (isFrame(view.getUint8(at + 1))) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) }
  }
  return null
}

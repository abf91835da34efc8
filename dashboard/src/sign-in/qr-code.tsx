import { encode } from "uqr"

/** A QR code of a link. It is dark on light in both themes, because many readers support nothing else. */
export function QrCode({ text }: { text: string }) {
  const { data, size } = encode(text, { border: 2 })
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ""))).join("")
  return (
    <svg role="img" aria-label="QR code of the link" viewBox={`0 0 ${size} ${size}`} width={200} height={200}>
      <rect width={size} height={size} fill="#ffffff" />
      <path d={path} fill="#16191d" shapeRendering="crispEdges" />
    </svg>
  )
}

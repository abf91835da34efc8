/**
 * Messages of workerd about a connection that a fault plan has cut: one from its network, and two
 * from a worker of miniflare between ours and the network. Our code sees a rejected fetch, and
 * vitest reports errors that it does not catch.
 */
const CUT_CONNECTION = [
  /^(?:e|exception) = rust\/worker\/ffi\.rs:\d+: disconnected: (?:client error \(SendRequest\)|Connection refused \(os error \d+\))\nstack: [^\n]*\n$/,
  /^uncaught exception; source = Uncaught \(in promise\); stack = Error: Network connection lost\.\n$/,
  /^uncaught exception; exception = workerd\/jsg\/value\.h:\d+: disconnected: jsg\.Error: Network connection lost\.\nstack: [^\n]*\n$/,
]

/**
 * The message about a server that answers a TLS handshake with other data. workerd reports an
 * internal error with a reference.
 */
const REFUSED_HANDSHAKE =
  /^(?:e|exception) = rust\/worker\/ffi\.rs:\d+: failed: TLS handshake failed: [^\n]*\nstack: [^\n]*; wdErrId = (?<reference>\w+)\n$/
const INTERNAL_ERROR =
  /^uncaught exception; (?:source = Uncaught \(in promise\); stack|exception) = [^\n]*internal error; reference = (?<reference>\w+)\n(?:stack: [^\n]*\n)?$/

/**
 * Keeps these messages out of stdout and stderr. miniflare writes each message in one write. The
 * returned function ends this.
 */
export function muteCutConnections(): () => void {
  const handshakes = new Set<string>()
  const ends = [process.stdout, process.stderr].map((stream) => {
    const { write } = stream
    stream.write = ((chunk: string | Uint8Array, ...rest: []) =>
      (typeof chunk === "string" && isNoise(chunk, handshakes)) || write.call(stream, chunk, ...rest)) as typeof write
    return () => {
      stream.write = write
    }
  })
  return () => {
    for (const end of ends) end()
  }
}

function isNoise(chunk: string, handshakes: Set<string>): boolean {
  const handshake = REFUSED_HANDSHAKE.exec(chunk)?.groups?.reference
  if (handshake) handshakes.add(handshake)
  const error = INTERNAL_ERROR.exec(chunk)?.groups?.reference
  return Boolean(handshake || (error && handshakes.has(error)) || CUT_CONNECTION.some((noise) => noise.test(chunk)))
}

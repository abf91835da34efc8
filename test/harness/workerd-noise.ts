/**
 * workerd's messages about a connection that a fault plan has cut: once in its network, and twice in a worker of miniflare's between
 * ours and the network. Our code sees a rejected fetch, and vitest reports errors that it does not catch.
 */
const CUT_CONNECTION = [
  /^(?:e|exception) = rust\/worker\/ffi\.rs:\d+: disconnected: (?:client error \(SendRequest\)|Connection refused \(os error \d+\))\nstack: [^\n]*\n$/,
  /^uncaught exception; source = Uncaught \(in promise\); stack = Error: Network connection lost\.\n$/,
  /^uncaught exception; exception = workerd\/jsg\/value\.h:\d+: disconnected: jsg\.Error: Network connection lost\.\nstack: [^\n]*\n$/,
]

/** Keeps those messages out of stdout, where miniflare writes each one whole. Ends with the returned function. */
export function muteCutConnections(): () => void {
  const { stdout } = process
  const { write } = stdout
  stdout.write = ((chunk: string | Uint8Array, ...rest: []) =>
    isNoise(chunk) || write.call(stdout, chunk, ...rest)) as typeof write
  return () => {
    stdout.write = write
  }
}

const isNoise = (chunk: string | Uint8Array) =>
  typeof chunk === "string" && CUT_CONNECTION.some((noise) => noise.test(chunk))

/**
 * What workerd says on a connection that a fault plan has cut: once in its network, and twice in a worker of miniflare's that stands
 * between ours and the network. Ours is told by a rejected fetch, and an error that it leaves uncaught is reported by vitest.
 */
const CUT_CONNECTION = [
  /^(?:e|exception) = rust\/worker\/ffi\.rs:\d+: disconnected: (?:client error \(SendRequest\)|Connection refused \(os error \d+\))\nstack: [^\n]*\n$/,
  /^uncaught exception; source = Uncaught \(in promise\); stack = Error: Network connection lost\.\n$/,
  /^uncaught exception; exception = workerd\/jsg\/value\.h:\d+: disconnected: jsg\.Error: Network connection lost\.\nstack: [^\n]*\n$/,
]

/** Keeps that out of stdout, where miniflare writes each of workerd's messages whole; ends with what it returns. */
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

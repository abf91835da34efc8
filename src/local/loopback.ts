import { Server } from "node:net"

/**
 * Import this first in every program that starts servers. From then on, no server of the process can listen on an
 * address that other machines reach: without a host a server gets 127.0.0.1, and any other host is refused. Servers of
 * packages listen on all interfaces unless their author named a host.
 */
const LOOPBACK_HOST = "127.0.0.1"

const isLoopback = (host: unknown) => host === "localhost" || host === "::1" || /^127(\.\d+){3}$/.test(String(host))

/** The arguments of `Server.listen` with a loopback host. Paths and open handles have no host and are not changed. */
function onLoopback([first, ...rest]: unknown[]): unknown[] {
  if (typeof first === "object" && first !== null) {
    return "port" in first
      ? [{ ...first, host: checked((first as { host?: unknown }).host) }, ...rest]
      : [first, ...rest]
  }
  const isPath = typeof first === "string" && !(Number(first) >= 0)
  if (isPath) return [first, ...rest]
  const [port, more] = typeof first === "function" ? [0, [first, ...rest]] : [first, rest]
  const isHost = typeof more[0] === "string"
  return [port ?? 0, checked(isHost ? more[0] : undefined), ...(isHost ? more.slice(1) : more).filter(isGiven)]
}

const isGiven = (argument: unknown) => argument !== undefined && argument !== null

function checked(host: unknown): string {
  if (!isGiven(host) || host === "") return LOOPBACK_HOST
  if (!isLoopback(host)) {
    throw new Error(`A server would listen on ${host}. The local service listens on ${LOOPBACK_HOST} only.`)
  }
  return host as string
}

const listen = Server.prototype.listen as (this: Server, ...args: unknown[]) => Server
Server.prototype.listen = function (this: Server, ...args: unknown[]) {
  return listen.apply(this, onLoopback(args))
} as typeof Server.prototype.listen

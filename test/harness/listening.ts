import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { type Process, processes } from "../../src/local/processes.ts"

/** A socket on which a process waits for connections or packets. */
interface Listening {
  protocol: "tcp" | "udp" | "unix"
  /** An IP address in the notation of its family, or the path of a Unix socket. */
  address: string
  /** 0 for a Unix socket. */
  port: number
  pid: number
  /** The command line of its process. */
  command: string
}

/** A process and all its descendants. */
async function below(pid: number): Promise<Process[]> {
  const all = await processes()
  const from = (one: Process): Process[] => [one, ...all.filter(({ parent }) => parent === one.pid).flatMap(from)]
  return all.filter((one) => one.pid === pid).flatMap(from)
}

/** The sockets of a process tree, as the kernel of Linux lists them. */
export async function listeningSockets(root: number): Promise<Listening[]> {
  const open = new Map([...ofInternet("tcp"), ...ofInternet("udp"), ...unixSockets()])
  return (await below(root)).flatMap(({ pid, command }) =>
    inodesOf(pid).flatMap((inode) => {
      const socket = open.get(inode)
      return socket ? [{ ...socket, pid, command }] : []
    }),
  )
}

type Socket = Pick<Listening, "protocol" | "address" | "port">

/** The fields of each line of a table in /proc/net. */
function linesOf(table: string): string[][] {
  const [, ...lines] = readFileSync(`/proc/net/${table}`, "utf8").trim().split("\n")
  return lines.map((line) => line.trim().split(/\s+/))
}

const LISTENS = { tcp: "0A", udp: "07" }

function ofInternet(protocol: "tcp" | "udp"): [inode: string, Socket][] {
  return [protocol, `${protocol}6`].flatMap((table) =>
    linesOf(table)
      .filter(([, , , state]) => state === LISTENS[protocol])
      .map(([, local = "", , , , , , , , inode = ""]): [string, Socket] => {
        const [address = "", port = ""] = local.split(":")
        return [inode, { protocol, address: addressOf(address), port: Number.parseInt(port, 16) }]
      }),
  )
}

/** The kernel prints an address as words of 32 bits in the byte order of the machine, which is little-endian. */
function addressOf(hex: string): string {
  const bytes = Buffer.from(hex, "hex")
  bytes.swap32()
  if (bytes.length === 4) return bytes.join(".")
  const groups = Array.from({ length: 8 }, (_, at) => bytes.readUInt16BE(2 * at).toString(16))
  return new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1)
}

/** A listening socket has the flag SO_ACCEPTCON (include/uapi/linux/net.h). */
const unixSockets = (): [inode: string, Socket][] =>
  linesOf("unix")
    .filter(([, , , flags]) => flags === "00010000")
    .map(([, , , , , , inode = "", path = ""]) => [inode, { protocol: "unix", address: path, port: 0 }])

function inodesOf(pid: number): string[] {
  const links = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`)
    } catch {
      return ""
    }
  })
  return [...new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []))]
}

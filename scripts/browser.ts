import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { type Browser, chromium } from "playwright-core"
import { makeTemporaryDirectory } from "../src/local/temporary-directory.ts"
import { endWithUs } from "../src/local/watchdog.ts"
import { servicePort } from "./service-port.ts"

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]

/** The path of Chromium, from CHROMIUM or a usual place; undefined if it is not installed. */
export const findChromium = (): string | undefined =>
  [process.env.CHROMIUM, ...PLACES].find((path) => path !== undefined && existsSync(path))

/** Starts Chromium without a window. Exits with a message if it is not installed. */
export async function launchChromium(args: string[] = []): Promise<Browser> {
  const executablePath = findChromium()
  if (executablePath) return chromium.launch({ executablePath, args: ["--no-sandbox", ...args] })
  console.error("There is no Chromium. Install it (apt-get install chromium), or set CHROMIUM to its path.")
  process.exit(2)
}

export interface ShownService {
  /** The address that `npm start` prints for the web app. */
  signIn: string
  /** The data directory, if the service was started here. */
  dataDir?: string
  stop(): Promise<void>
}

/**
 * Uses the running service at `url`. Without a URL it runs `npm start` on a free port with these variables and options,
 * with a temporary data directory, and with servers of its own, whatever DATABASE_URL and REDIS_URL name.
 */
export async function serviceAt(
  url: string | undefined,
  variables: Record<string, string> = {},
  options: string[] = [],
): Promise<ShownService> {
  if (url) return { signIn: url, stop: async () => {} }
  const data = await makeTemporaryDirectory("pages")
  const port = await servicePort()
  const child = spawn(
    "node",
    ["src/local/start.ts", "--port", String(port), "--data", data, "--providers", ...options],
    {
      stdio: ["ignore", "pipe", "inherit"],
      env: {
        ...process.env,
        DATABASE_URL: undefined,
        REDIS_URL: undefined,
        ...variables,
        TURNPIKE_DEMO: join(data, "demo.json"),
      },
    },
  )
  child.once("exit", endWithUs({ pid: child.pid as number, words: [data], signals: ["SIGTERM", "SIGKILL"] }))
  let signIn: string | undefined
  for await (const line of createInterface(child.stdout)) {
    console.log(line)
    signIn ??= /web app\s+(http\S+)/.exec(line)?.[1]
    if (line.startsWith("Ctrl-C")) break
  }
  child.stdout.resume()
  if (!signIn) throw new Error("npm start ended before it printed the address of the web app")
  return {
    signIn,
    dataDir: data,
    async stop() {
      const ended = once(child, "exit")
      child.kill("SIGINT")
      await ended
      await rm(data, { recursive: true, force: true })
    },
  }
}

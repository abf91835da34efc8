import { spawn } from "node:child_process"
import { readFile } from "node:fs/promises"

/** The environments of wrangler.toml. Each is a group that is deployed as a worker. */
export async function groups(): Promise<string[]> {
  const text = await readFile("wrangler.toml", "utf8")
  return [...text.matchAll(/^\[env\.([a-z0-9-]+)\]$/gm)].map((match) => match[1] as string)
}

interface WranglerOptions {
  /** True to print wrangler's output while it runs. */
  show?: boolean
  /** The standard input, such as secrets, which no other process can read. */
  input?: string
  env?: Record<string, string>
}

/** Runs wrangler and returns its output. Rejects if it fails. */
export function wrangler(args: string[], { show = false, input, env = {} }: WranglerOptions = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn("wrangler", args, {
      stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
      // With its banner, wrangler also checks for updates over the network.
      env: { ...process.env, ...env, WRANGLER_SEND_METRICS: "false", WRANGLER_HIDE_BANNER: "true", NO_COLOR: "1" },
    })
    let output = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk: Buffer) => {
        output += chunk
        if (show) process.stdout.write(chunk)
      })
    }
    // A child that ends early closes its input; its exit code says why.
    child.stdin?.on("error", () => {})
    child.stdin?.end(input)
    child.once("error", reject)
    child.once("exit", (code) => {
      if (code === 0) resolve(output)
      else reject(new Error(`wrangler ${args.join(" ")} ended with ${code}:\n${output}`))
    })
  })
}

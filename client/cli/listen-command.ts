import type { Command } from "commander"
import { CommandError } from "./failures.ts"
import { followFeed } from "./follow-feed.ts"
import { forwardEvent, targetOf } from "./listen.ts"
import { type CommandContext, type Run, sinceOf, TIME_HELP } from "./run.ts"
import { connectRaw, readStored, store } from "./settings.ts"
import { newListenSecret } from "./sign-event.ts"
import { jsonOf, painter } from "./terminal.ts"

interface ListenOptions {
  forwardTo: string
  events?: string
  since?: string
}

export function addListenCommand(program: Command, run: Run): void {
  program
    .command("listen")
    .description("forward events to a server on this machine, signed like a webhook")
    .requiredOption("-f, --forward-to <address>", "the receiver, such as localhost:3000/webhooks")
    .option("-e, --events <types>", "only these types, such as turn.done,turn.failed")
    .option("--since <time>", `begin at this time instead of now: ${TIME_HELP}`)
    .action(run<[ListenOptions]>(listen))
}

async function listen(context: CommandContext, { forwardTo, events, since: given }: ListenOptions) {
  const { terminal, connection, json } = context
  const { fetch, runtime, signal } = terminal
  const target = targetOf(forwardTo)
  const types = events?.split(",").map((type) => type.trim())
  const transport = await connectRaw(connection)
  const secret = await listenSecret(context)
  const since = await sinceOf(transport, given, signal)
  const print = (line: string) => (json ? terminal.err : terminal.out)(`${line}\n`)
  if (json) terminal.out(`${jsonOf({ forwarding_to: target, secret, since })}\n`)
  else {
    terminal.out(`Forwarding events to ${target}. Ctrl-C ends it.\n`)
    terminal.out(`Events are signed with this secret:\n\n  TURNPIKE_WEBHOOK_SECRET=${secret}\n\n`)
  }
  const feed = followFeed(transport, {
    since,
    type: types?.length === 1 ? types[0] : undefined,
    signal,
    onLost: ({ message }) => print(`${message} Trying again; no event is lost.`),
    onBack: () => print("Connected again."),
  })
  const paint = painter(terminal, json ? "err" : "out")
  for await (const fed of feed) {
    if (types && !types.includes(fed.event.type)) continue
    await forwardEvent(fed, { target, secret, runtime, fetch, signal, paint, print })
    if (json) terminal.out(`${fed.body}\n`)
  }
}

/** The secret of the environment, or one that is created once and stored. */
async function listenSecret({ terminal }: CommandContext): Promise<string> {
  const given = terminal.env.TURNPIKE_WEBHOOK_SECRET
  if (given) {
    if (/^whsec_[A-Za-z0-9+/]+=*$/.test(given)) return given
    throw new CommandError("TURNPIKE_WEBHOOK_SECRET is not a secret: it must be whsec_ and base64.")
  }
  const { listen_secret } = await readStored(terminal)
  if (listen_secret) return listen_secret
  const made = newListenSecret()
  await store(terminal, { listen_secret: made })
  return made
}

import { Command, CommanderError } from "commander"
import { COMMAND } from "../src/names.ts"
import { VERSION } from "../src/version.ts"
import { addCompletionCommand } from "./completion.ts"
import { addCustomerCommands } from "./customer-commands.ts"
import { addDevCommand } from "./dev-command.ts"
import { EXIT_CODES, type Exit, failureOf } from "./failures.ts"
import { addInitCommand } from "./init-command.ts"
import { addListenCommand } from "./listen-command.ts"
import { addReportCommands } from "./report-commands.ts"
import type { Run } from "./run.ts"
import { connectionOf, settingsFile } from "./settings.ts"
import { addSpaceCommands } from "./space-commands.ts"
import { showFailure, type Terminal } from "./terminal.ts"
import { addTurnCommands } from "./turn-commands.ts"

const KEY = /turnpike_(?:live|test)_\w+/

/** Runs a command and returns its exit code. */
export async function runProgram(args: string[], terminal: Terminal): Promise<number> {
  const asJson = args.includes("--json")
  const fail = (message: string, hint: string) => {
    showFailure(terminal, { exit: "usage", code: "USAGE", message, hint }, asJson)
    return EXIT_CODES.usage.code
  }
  if (args.some((arg) => KEY.test(arg))) {
    return fail(
      "An API key is never an argument: other users see it in the list of processes, and the shell keeps it in its history.",
      `Set TURNPIKE_API_KEY, or run \`${COMMAND} init\`. If other people use this machine, rotate this key in the dashboard.`,
    )
  }
  if (args.some((arg) => /^--(api-?)?key(=|$)/.test(arg)))
    return fail("There is no option for the API key.", `Set TURNPIKE_API_KEY, or run \`${COMMAND} init\`.`)
  let exit: Exit = "ok"
  const program = buildProgram(terminal, { asJson, onExit: (result) => (exit = result) })
  try {
    await program.parseAsync(args, { from: "user" })
    if (terminal.signal.aborted) return EXIT_CODES.interrupted.code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_CODES.usage.code
    if (terminal.signal.aborted) return EXIT_CODES.interrupted.code
    const failure = failureOf(error)
    showFailure(terminal, failure, asJson)
    if (failure.exit === "broken" && terminal.env.DEBUG && error instanceof Error) terminal.err(`${error.stack}\n`)
    exit = failure.exit
  }
  return EXIT_CODES[exit].code
}

interface Building {
  asJson: boolean
  onExit: (exit: Exit) => void
}

function buildProgram(terminal: Terminal, { asJson, onExit }: Building): Command {
  const program = new Command(COMMAND)
  const run: Run =
    (work) =>
    async (...args) => {
      const options = program.opts<{ json?: true; baseUrl?: string }>()
      const { baseUrl } = options
      const context = { terminal, json: options.json === true, baseUrl, connection: connectionOf(terminal, baseUrl) }
      // Commander adds the command as the last argument.
      const exit = await work(context, ...(args.slice(0, -1) as never))
      if (exit) onExit(exit)
    }
  program
    .description("The command line of Turnpike, a hosted service that runs agents for your product.")
    .version(VERSION, "-V, --version", "print the version")
    .option("--json", "print JSON instead of text, also for errors")
    .option("--base-url <url>", "the address of the service (default: TURNPIKE_BASE_URL, or the stored one)")
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show the help of a command")
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError(asJson ? false : "Run it with --help to see its arguments and options.")
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: terminal.out,
      writeErr: terminal.err,
      outputError(text, write) {
        if (!asJson) return write(text)
        const message = text.replace(/^error: /, "").trim()
        showFailure(terminal, { exit: "usage", code: "USAGE", message }, true)
      },
    })
    .addHelpText(
      "after",
      `
The API key comes from TURNPIKE_API_KEY, or from ${settingsFile(terminal)}, which
\`init\` writes for you alone. A key is never an argument. NO_COLOR turns colors off.

Exit codes:
${Object.values(EXIT_CODES)
  .map(({ code, means }) => `  ${String(code).padStart(3)}  ${means}`)
  .join("\n")}

Start here:
  ${COMMAND} dev             in one terminal
  ${COMMAND} init --local    in another one
  ${COMMAND} apply turnpike.yaml
  ${COMMAND} turns send --space support --user customer-1 --wait "Where is my order?"`,
    )
  addDevCommand(program, run)
  addInitCommand(program, run)
  addSpaceCommands(program, run)
  addTurnCommands(program, run)
  addCustomerCommands(program, run)
  addListenCommand(program, run)
  addReportCommands(program, run)
  addCompletionCommand(program, run)
  return program
}

import { Argument, type Command } from "commander"
import type { Run } from "./run.ts"

const SHELLS = ["bash", "zsh", "fish"] as const
type Shell = (typeof SHELLS)[number]

/** A command with everything that can follow it. */
interface Place {
  /** The words before it, such as `turns`. */
  path: string
  words: { word: string; about: string }[]
  /** The values of each option that has a fixed list. */
  choices: { option: string; values: readonly string[] }[]
}

export function addCompletionCommand(program: Command, run: Run): void {
  const command = program
    .command("completion")
    .description("print the completion script of a shell")
    .addArgument(new Argument("<shell>", "the shell").choices(SHELLS))
    .action(run<[Shell]>(({ terminal }, shell) => terminal.out(SCRIPTS[shell](placesOf(program)))))
  command.addHelpText(
    "after",
    `
To load it in each new shell:
  bash  turnpike completion bash > ~/.local/share/bash-completion/completions/turnpike
  zsh   turnpike completion zsh > "\${fpath[1]}/_turnpike"
  fish  turnpike completion fish > ~/.config/fish/completions/turnpike.fish`,
  )
}

function placesOf(command: Command, path: string[] = []): Place[] {
  const options = [...command.options, ...(command.parent?.options ?? [])].filter(({ hidden }) => !hidden)
  const words = [
    ...command.commands.map((one) => ({ word: one.name(), about: one.description() })),
    ...command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices.map((word) => ({ word, about: "" }))),
    ...options.map(({ long, description }) => ({ word: long ?? "", about: description })),
    { word: "--help", about: "show help" },
  ]
  const choices = options.flatMap(({ long, argChoices }) =>
    argChoices ? [{ option: long ?? "", values: argChoices }] : [],
  )
  const below = command.commands.flatMap((one) => placesOf(one, [...path, one.name()]))
  return [{ path: path.join(" "), words, choices }, ...below]
}

const SCRIPTS: Record<Shell, (places: Place[]) => string> = {
  bash: (places) => `# Completion of turnpike for bash.
_turnpike() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" place="" word words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${place:+$place }$word" in
${places.flatMap(({ path }) => (path ? [`      "${path}") place="${path}" ;;`] : [])).join("\n")}
    esac
  done
  case "$place $prev" in
${casesOfChoices(places)}
  esac
  if [ -z "$words" ]; then case "$place" in
${places.map(({ path, words }) => `    "${path}") words="${words.map(({ word }) => word).join(" ")}" ;;`).join("\n")}
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _turnpike turnpike
`,
  zsh: (places) => `#compdef turnpike
# Completion of turnpike for zsh.
_turnpike() {
  local place="" word
  local -a values
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${place:+$place }$word" in
${places.flatMap(({ path }) => (path ? [`      "${path}") place="${path}" ;;`] : [])).join("\n")}
    esac
  done
  case "$place \${words[CURRENT-1]}" in
${casesOfChoices(places).replaceAll(/words="([^"]*)"/g, "compadd -- $1; return")}
  esac
  case "$place" in
${places.map(({ path, words }) => `    "${path}") values=(${words.map(zshWord).join(" ")}) ;;`).join("\n")}
  esac
  _describe turnpike values
  _files
}
if [ "$funcstack[1]" = "_turnpike" ]; then _turnpike "$@"; else compdef _turnpike turnpike; fi
`,
  fish: (places) => `# Completion of turnpike for fish.
function __turnpike_place
  set -l place ""
  for word in (commandline -opc)[2..]
    switch (string trim -- "$place $word")
${places.flatMap(({ path }) => (path ? [`      case ${quoted(path)}\n        set place ${quoted(path)}`] : [])).join("\n")}
    end
  end
  test "$place" = "$argv[1]"
end
${places.flatMap(fishLines).join("\n")}
`,
}

const casesOfChoices = (places: Place[]) =>
  places
    .flatMap(({ path, choices }) =>
      choices.map(({ option, values }) => `    "${path} ${option}") words="${values.join(" ")}" ;;`),
    )
    .join("\n")

/** A text in single quotes. Fish and zsh differ in how a quote in it is written, so it has none. */
const quoted = (text: string) => `'${text.replaceAll("'", "’").replaceAll("\\", "")}'`
const zshWord = ({ word, about }: Place["words"][number]) =>
  quoted(about ? `${word}:${about.replaceAll(":", "\\:")}` : word)

function fishLines({ path, words, choices }: Place): string[] {
  const at = `complete -c turnpike -n ${quoted(`__turnpike_place '${path}'`).replaceAll("’", '"')}`
  return words.map(({ word, about }) => {
    const values = choices.find(({ option }) => option === word)?.values
    const form = word.startsWith("--") ? `-l ${word.slice(2)}` : `-a ${word}`
    return `${at} ${form}${values ? ` -x -a '${values.join(" ")}'` : ""}${about ? ` -d ${quoted(about)}` : ""}`
  })
}

import { COMMON_PASSWORDS } from "./common-passwords.ts"

let common: Set<string> | undefined

/** Whether a password is one of those that everybody tries first, in whatever case. */
export function isCommonPassword(password: string): boolean {
  common ??= readList(COMMON_PASSWORDS)
  return common.has(password.normalize("NFKC").toLowerCase())
}

/** Each line: how many characters it shares with the word before, in base 36, and the rest of it. */
function readList(text: string): Set<string> {
  const words = new Set<string>()
  let word = ""
  for (const line of text.split("\n")) {
    word = word.slice(0, Number.parseInt(line[0] ?? "0", 36)) + line.slice(1)
    words.add(word)
  }
  return words
}

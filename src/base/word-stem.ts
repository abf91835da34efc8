/** A word without its ending, so that "verifying" and "verification" match "verify". */
export function stemOf(word: string): string {
  if (word.length < 4 || /\d/.test(word)) return word
  const short = word.replace(/(?:ications?|ied|ies|ying|y)$/, "i").replace(/(?:ations?|ing|ions?|ed|es|s|e|ers?)$/, "")
  return (short.length < 3 ? word : short).replace(/([^aeiou])\1$/, "$1")
}

/** The words of a text. `endUserRef` and `INSUFFICIENT_CREDITS` are split into their parts. */
export const wordsOfText = (text: string): string[] =>
  text
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")

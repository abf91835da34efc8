import { readFile, writeFile } from "node:fs/promises"
import { dictionary } from "@zxcvbn-ts/language-common"
import { PASSWORD_POLICY } from "../src/sign-in/policies.ts"

/**
 * Writes src/sign-in/common-passwords.ts: the entries of zxcvbn-ts's list with the minimum length of a password. They
 * are sorted, and each is the length of the prefix that it shares with the entry before (in base 36), and the rest.
 * This has 51 KiB gzipped, a quarter of the package.
 */
const FILE = "src/sign-in/common-passwords.ts"

const words = [...new Set(dictionary["passwords-common"].map((word) => word.normalize("NFKC").toLowerCase()))]
  .filter((word) => word.length >= PASSWORD_POLICY.minLength && /^[\x20-\x7e]+$/.test(word))
  .sort()

function shared(a: string, b: string): number {
  let length = 0
  while (length < Math.min(a.length, b.length, 35) && a[length] === b[length]) length++
  return length
}

const text = words
  .map((word, at) => {
    const same = shared(words[at - 1] ?? "", word)
    return same.toString(36) + word.slice(same)
  })
  .join("\n")

const source = `// Generated from the list of @zxcvbn-ts/language-common by scripts/generate-common-passwords.ts.
export const COMMON_PASSWORDS =
  ${JSON.stringify(text)}
`

if (process.argv.includes("--check")) {
  const there = await readFile(FILE, "utf8").catch(() => "")
  if (there !== source) {
    console.error(`${FILE} is stale: run npm run passwords.`)
    process.exit(1)
  }
} else {
  await writeFile(FILE, source)
  console.log(`${words.length} passwords, ${Math.round(source.length / 1024)} KiB`)
}

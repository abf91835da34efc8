import MiniSearch, { type Query } from "minisearch"
import type { ToolSpec } from "../agent/engine.ts"
import { isFields } from "../base/fields.ts"
import { stemOf, wordsOfText } from "../base/word-stem.ts"

const IGNORED = new Set([
  ..."a an and are as at be by can could do does for from has have how i if in into is it its me my need of on".split(
    " ",
  ),
  ..."or our please so some that the their them then these this to tool tools use used using want was we".split(" "),
  ..."what when where which who will with you your".split(" "),
])

/** Words that models and authors of tools use for the same thing. A word of a query also matches the others. */
const SAME = [
  "create add new make insert register open start build generate setup compose draft",
  "get read show fetch view retrieve load display see check inspect look tell details info information status",
  "list all every enumerate browse overview many exist existing",
  "find search query lookup locate discover filter match",
  "update change edit modify set adjust rename patch correct alter revise replace save",
  "delete remove drop erase destroy discard clear purge",
  "cancel stop abort end terminate close finish quit halt",
  "send post publish deliver mail email message notify tell write text forward",
  "upload attach import store put",
  "download export save csv",
  "move transfer relocate shift migrate",
  "copy duplicate clone fork",
  "archive retire",
  "share access publish collaborate visible",
  "merge combine join unite",
  "assign give allocate delegate grant",
  "approve accept confirm allow permit authorize",
  "reject deny decline refuse block ban",
  "run execute trigger launch invoke start",
  "schedule plan book reserve arrange",
  "customer client buyer shopper",
  "user person member people account contact employee colleague staff",
  "order purchase buy",
  "invoice bill receipt",
  "payment charge pay transaction",
  "refund reimburse repay money",
  "ticket issue case bug problem incident",
  "comment reply note remark answer",
  "meeting appointment event calendar invite",
  "file document doc attachment",
  "folder directory",
  "repo repository project codebase",
  "picture image photo screenshot",
  "shipment shipping delivery parcel package tracking track",
  "price cost amount rate",
  "product item article goods sku",
  "stock inventory warehouse availability",
  "branch ref version",
  "pull pr merge review",
  "page site web website url",
  "database table sql record row",
  "task todo card job",
  "team group channel room",
  "error failure exception crash fault",
  "discount coupon voucher promo",
  "subscription plan membership",
  "report summary statistics analytics metrics numbers",
  "phone call telephone number",
  "location place address map where",
  "weather forecast temperature rain",
  "currency exchange conversion convert",
  "log trace audit history",
  "key secret token credential password",
  "deploy deployment release rollout ship",
  "server machine instance host vm",
  "tag label category",
  "lead prospect opportunity deal",
  "holiday vacation leave absence",
  "salary wage payroll",
] as const

/** Verbs of two words, and one of the same meaning. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\b(get rid of|throw (away|out)|take (away|out|down)|wipe out)\b/gi, "delete"],
  [/\b(set up|put up|start up|sign up|come up with)\b/gi, "create"],
  [/\b(look(ing)? (for|up)|find out)\b/gi, "find"],
  [/\b(look(ing)? at|go through|read out)\b/gi, "get"],
  [/\b(call off|back out|turn off|shut down|switch off)\b/gi, "cancel"],
  [/\b(say yes to|sign off( on)?|agree to)\b/gi, "approve"],
  [/\b(say no to|turn down)\b/gi, "reject"],
  [/\b(hand over|pass on|put (someone|somebody) on)\b/gi, "assign"],
  [/\b(give access( to)?|let (others|people|someone) (see|use))\b/gi, "share"],
  [/\b(put away|file away)\b/gi, "archive"],
  [/\b(pay back|give back|money back)\b/gi, "refund"],
  [/\b(write to|get in touch with|reach out to)\b/gi, "send"],
]

const groups = new Map<string, string[]>()
for (const [nth, words] of SAME.entries()) {
  for (const word of words.split(" ")) groups.set(stemOf(word), [...(groups.get(stemOf(word)) ?? []), `~${nth}`])
}

/** The stem of a word, and the groups of words with the same meaning that it belongs to. */
function termsOf(word: string): string[] | null {
  const lower = word.toLowerCase()
  if (IGNORED.has(lower)) return null
  const stem = stemOf(lower)
  return [stem, ...(groups.get(stem) ?? [])]
}

const isGroup = (term: string) => term.startsWith("~")

/** The names and descriptions of the properties of an input. */
function inputWords({ properties }: Record<string, unknown>): string {
  if (!isFields(properties)) return ""
  return Object.entries(properties)
    .map(([name, property]) => {
      const told = isFields(property) && typeof property.description === "string" ? property.description : ""
      return `${name} ${told}`
    })
    .join(" ")
}

/** Ranks tools by how well their names, descriptions and inputs match the words of a query, the best first. */
export function createToolSearch(specs: readonly ToolSpec[]): (query: string) => string[] {
  const index = new MiniSearch({
    fields: ["name", "description", "input"],
    tokenize: wordsOfText,
    processTerm: termsOf,
    searchOptions: {
      boost: { name: 3, description: 1.5, input: 0.5 },
      prefix: (term) => term.length > 3 && !isGroup(term),
      fuzzy: (term) => (term.length > 4 && !isGroup(term) && !/\d/.test(term) ? 0.2 : false),
      weights: { prefix: 0.4, fuzzy: 0.25 },
    },
  })
  index.addAll(
    specs.map(({ name, description, inputSchema }, id) => ({ id, name, description, input: inputWords(inputSchema) })),
  )
  return (query) => {
    const plain = PHRASES.reduce((text, [phrase, word]) => text.replace(phrase, word), query)
    const terms = [...new Set(wordsOfText(plain).flatMap((word) => termsOf(word) ?? []))]
    // A term of the query must not be split and stemmed again.
    const asked: Query = {
      combineWith: "OR",
      queries: [
        { queries: terms.filter((term) => !isGroup(term)) },
        { queries: terms.filter(isGroup), boost: { name: 1.5, description: 0.75, input: 0.25 } },
      ],
      tokenize: (text) => [text],
      processTerm: (term) => term,
    }
    return index.search(asked).map(({ id }) => specs[id as number]?.name ?? "")
  }
}

import MiniSearch, { type Query } from "minisearch"
import { stemOf, wordsOfText } from "../base/word-stem.ts"
import type { PageEntry } from "./markdown.ts"

/** An entry of a search index, as its file contains it. */
export interface Found {
  kind: PageEntry["kind"]
  title: string
  words: string
  text: string
  /** The title of its page. */
  page: string
  href: string
}

/** Words of questions that no answer depends on. */
const IGNORED = new Set([
  ..."a an and are at be by for from i if in is it me my of on or our per so that the there to us we you your".split(
    " ",
  ),
  ..."can could do does did get has have how should what when where which why will with would".split(" "),
  ..."happens long much one use".split(" "),
])

/** Words that readers type, and the word of the guides. */
const SYNONYMS: Record<string, string[]> = {
  max: ["limit"],
  maximum: ["limit"],
  biggest: ["limit"],
  largest: ["limit"],
  upload: ["file"],
  attachment: ["file"],
  cost: ["billed"],
  charged: ["billed"],
  budget: ["cap"],
  customer: ["end", "user"],
  signature: ["verify"],
  hmac: ["verify"],
  resend: ["replay"],
  stop: ["cancel"],
  abort: ["cancel"],
  sse: ["follow"],
  stream: ["follow"],
  streaming: ["follow"],
  poll: ["wait"],
  gdpr: ["erase"],
  privacy: ["erase"],
  token: ["key"],
}

/** Sections and rows answer questions. Operations match more words, since their names repeat their titles. */
const WEIGHTS = { page: 0.7, section: 1, row: 0.9, field: 0.35, operation: 0.6 }

/** A search over the entries of an index. */
export function createSearch(entries: readonly Found[]) {
  const index = new MiniSearch({
    fields: ["title", "words", "text", "page"],
    tokenize: wordsOfText,
    processTerm: (word) => {
      const lower = word.toLowerCase()
      return IGNORED.has(lower) ? null : stemOf(lower)
    },
    searchOptions: {
      boost: { title: 5, words: 2, page: 1.5 },
      prefix: (term) => term.length > 2,
      fuzzy: (term) => (term.length > 4 && !/\d/.test(term) ? 0.2 : false),
      weights: { prefix: 0.4, fuzzy: 0.25 },
      boostDocument: (id) => WEIGHTS[entries[id as number]?.kind ?? "page"],
    },
  })
  index.addAll(entries.map((entry, id) => ({ id, ...entry })))
  return (question: string): Found[] => {
    const words = wordsOfText(question).map((word) => word.toLowerCase())
    const wanted = words.filter((word) => !IGNORED.has(word))
    const alternatives = (wanted.length > 0 ? wanted : words).map(
      (word): Query => ({
        combineWith: "OR",
        queries: [word, ...(SYNONYMS[word] ?? [])],
      }),
    )
    const all = index.search({ combineWith: "AND", queries: alternatives })
    const some = all.length < 8 ? index.search({ combineWith: "OR", queries: alternatives }) : []
    const ids = [...new Set([...all, ...some].map(({ id }) => id as number))]
    return ids.slice(0, 12).map((id) => entries[id] as Found)
  }
}

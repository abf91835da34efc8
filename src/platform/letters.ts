import { folded } from "../base/folded.ts"

/** Letters that servers with other locales fold in other ways: composed and not, Cyrillic, both sigmas, dotted I. */
const given = "Ä A\u0308 И Σ ς İ I K\u030C"

export const LETTERS = { given, folded: folded(given) }

export const LETTERS_QUERY = "select folded($1::text) as folded"

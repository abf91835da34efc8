/**
 * The words of providers' errors that owners may see. Every other word is left out, since it may be a key, a name,
 * an address or an id of the operator's account.
 */
const WORDS = new Set(
  [
    "a about above accept accepted accepts access add additional additionalproperties after again all allof allow",
    "allowed allows already also always an and another any anyof api application are argument arguments array",
    "arrays as ask assistant at audio audios authentication automatic automatically available avoid bad base",
    "base64 be because been before begin below between beyond billing bit block blocked blocks body boolean both",
    "budget busy but by bytes cache call called calling calls can cannot category causes change character",
    "characters chat check choice choose code codes combination compatible completion completions configuration",
    "configure configured connect const contain contained contains content contents context control conversation",
    "conversion convert converted converting correct could count credit currently custom data declaration",
    "declarations declared decode decoder decommissioned default define defined definition definitions defs",
    "deprecated description did different dimension dimensions disable disabled do document documents does dollar",
    "draft due duplicate during each effort eight either element elements empty enable enabled encode encoded",
    "encoding end endpoint endpoints ensure enum error errors even every exact exactly exceed exceeded exceeds",
    "exclusive exist existing exists expect expected expecting extra fail failed fails feature few field fields",
    "file files filter filtered filtering first five flagged for forbidden form format formats found four from",
    "full function functions gb generate generated generating generation get gif given got grammar greater",
    "guardrail had has have height high higher however http https id ids if image images immediately in",
    "inappropriate include included includes including inclusive incomplete incorrect index inline input inputs",
    "inside inspection instead instruction instructions insufficient integer internal invalid is issue it item",
    "items its jpeg jpg json just k kb key keys kind large larger last later latest learn least left length",
    "lengths less level like limit limited limits list lists load located long longer low lower main make",
    "management many match matched matches matching max maximum maxlength may mb media medium message messages",
    "might mime min minimum minlength missing mode model models moderation modify more most mp multimodal",
    "multipleof must n name named names need needed needs nested never new next no non none not nothing null",
    "number numbers object objects of off on once one oneof ones only option optional options or order original",
    "other our output outputs over overload overloaded p page pages parallel parameter parameters parse parsed",
    "parser parsing part parts pass passed path pattern pdf penalty per permission permitted pixel pixels please",
    "png policies policy positive possible potentially precondition prefixitems presence previous process",
    "processed prohibited prompt prompts properties property provide provided provider providers quota range",
    "ranges rate reach reached read reading reason reasoning received recognized reduce ref reference references",
    "refused regex reject rejected remove removed repeated request requested requests require required requires",
    "resolution resource response responses result results retry return returned risk role roles rules s safety",
    "sampling schema schemas see seed sensitive sent separate server service set several shorten should side",
    "signature single size sizes small smaller some source specified specify start starts step steps stop stream",
    "streaming strict string strings structure structured such supplied support supported supporting supports",
    "system systems task temperature template temporarily text than that the their them then there these they",
    "thinking this those three through to together token tokenizer tokens too tool tools top total transparent",
    "tried triggering trouble try turn two type types unable unauthorized unavailable understand unexpected",
    "unique unknown unless unrecognized unsafe unset unsupported until up upload uploaded uri url usage use used",
    "user users uses using utf valid validate validation value values verify version video videos violate",
    "violated violates violating violation vision visit was we webp were what when where whereas which while",
    "whole width will with within without words would write wrong you your zero",
  ].flatMap((line) => line.split(" ")),
)

/** Words that are written with capitals within a sentence. */
const CAPITALS = new Set(
  `API APIs HTTP HTTPS URL URLs JSON Schema PDF PDFs PNG JPEG JPG GIF WebP MB KB GB I Input Output OBJECT STRING ARRAY NUMBER INTEGER
  BOOLEAN Only Use Expected Invalid None True False Bad Request Content Exists Risk Type Not Supported Unsupported Missing Please Try`.split(
    /\s+/,
  ),
)

/** After these words may come the name or the id of an account, even one that consists of allowed words. */
const NAMES =
  /^(?:accounts?|organi[sz]ations?|orgs?|projects?|teams?|workspaces?|tenants?|companies|company|customers?|subscriptions?|deployments?|owners?|members?|clients?|user|id|ids|key|keys|secret|named|called|by|from|contact|owner|email|phone|address|host|server|resource|region|request_id|req)$/i
/** How many words after one of them are checked. */
const NEAR = 2

const MOST_READ = 4_000
/** The most characters of a provider's message that owners see. */
export const MOST_SHOWN = 500
const MOST_DIGITS = 9
/** A shorter number after a word that is left out is no id. */
const LONG_DIGITS = 5
const LEFT_OUT = "…"

/**
 * Makes a provider's text fit for owners: only allowed words, numbers and names of the request stay. `names`: words
 * that the owner has chosen or knows, such as names of tools. Null: nothing is left.
 */
export function shownText(text: string, names: ReadonlySet<string>): string | null {
  const shown: string[] = []
  let near = 0
  let begins = true
  let last = { isNumber: false, isFine: true, mayGoOn: false }
  let isShown = false
  for (const chunk of text.slice(0, MOST_READ).split(/\s+/)) {
    if (chunk === "") continue
    const [, before = "", core = "", after = ""] = /^([^\p{L}\p{N}]*)(.*?)([^\p{L}\p{N}]*)$/u.exec(chunk) ?? []
    const isNumber = /^[\d.,]+$/.test(core)
    const isNamed = near > 0 && (isNumber || /^['"`]/.test(before) || /^\p{Lu}/u.test(core))
    // A telephone number, the number of an account.
    const isLoose = isNumber && ((last.isNumber && !last.mayGoOn) || (!last.isFine && core.length >= LONG_DIGITS))
    const isFine =
      core === "" ||
      names.has(core) ||
      (!isNamed && !isLoose && !before.includes("+") && isAllowed(core, names, begins || /["'`*·(]$/.test(before)))
    if (isFine) {
      shown.push(core === "" ? plain(chunk) : `${plain(before)}${core}${plain(after)}`)
      isShown ||= /\p{L}/u.test(core)
    } else if (shown.at(-1) !== LEFT_OUT) shown.push(LEFT_OUT)
    near = NAMES.test(core) || (!isFine && near > 0) ? NEAR : near - 1
    begins = /[.:!?·]$/.test(after)
    // A range, such as "[1, 8192]".
    if (core !== "") last = { isNumber, isFine, mayGoOn: before.endsWith("[") && after === "," }
  }
  const all = shown.filter((word) => word !== "").join(" ")
  return isShown ? (all.length > MOST_SHOWN ? `${all.slice(0, MOST_SHOWN - 1).toWellFormed()}…` : all) : null
}

/** Punctuation that has no meaning of its own. A sign such as "@" or "://" joins names. */
const plain = (signs: string) => signs.replace(/[^.,:;!?()[\]{}'"`<>=+*·-]/g, "")

/** True if all parts of a word are allowed: `messages.2.content`, `invalid_request_error`, `image/jpeg`. */
function isAllowed(word: string, names: ReadonlySet<string>, begins: boolean): boolean {
  if (word.length > 80 || /[^\p{L}\p{N}._/[\]()=:,'"`<>{}$-]|:\/\/|\/\//u.test(word)) return false
  // An IP address, a telephone number.
  if (/\d\.\d+\.\d/.test(word) || (/\d-\d/.test(word) && !/^20\d\d-\d\d(?:-\d\d)?$/.test(word))) return false
  const parts = word.split(/[^\p{L}\p{N}]+/u).filter((part) => part !== "")
  // `id-4711`, `project:12`
  if (parts.some((part) => NAMES.test(part)) && /\d/.test(word)) return false
  return parts.every((part, at) => {
    if (names.has(part) || CAPITALS.has(part)) return true
    if (/^\d+$/.test(part)) return part.length <= MOST_DIGITS
    const pieces = part.match(/\p{Lu}?\p{Ll}+|\p{Lu}+/gu) ?? []
    // A word with a capital within a sentence is a name, unless it is a type that consists of several words.
    if (pieces.length === 1 && parts.length === 1 && /^\p{Lu}/u.test(part) && !(begins && at === 0)) return false
    return (
      WORDS.has(part.toLowerCase()) ||
      (pieces.join("") === part && pieces.every((piece) => WORDS.has(piece.toLowerCase())))
    )
  })
}

import { DOCUMENTS } from "../api/documents.ts"
import { hideSetup } from "../home/setup-steps.ts"
import { ALL_PAGES, type AreaPage, isOperators } from "./all-pages.ts"

/** A row of the palette. */
export interface Entry {
  label: string
  hint: string
  /** Where the row leads: a page of the app, or with `leaves` a document outside it. */
  href: string
  leaves?: true
  /** Done instead of opening `href`. */
  run?: () => void
}

export interface Situation {
  userId: number
  admin: boolean
  test: boolean
  /** The page is one of the operators' pages. */
  operators: boolean
}

interface Action extends Entry {
  /** Other words by which it is found. */
  words: string
  forAdmins?: true
}

/** The buttons of the frame do these acts. The palette presses them, so there is one way to do each. */
const press = (label: RegExp) => () =>
  [...document.querySelectorAll<HTMLElement>("aside button, aside label")]
    .find((one) => label.test(one.getAttribute("aria-label") ?? one.textContent ?? ""))
    ?.click()

const actionsOf = ({ userId, test }: Situation): Action[] => [
  { label: "Create an API key", words: "new add", hint: "Action", href: "/keys?new=true" },
  { label: "Create a webhook", words: "new add endpoint", hint: "Action", href: "/webhooks?new=true" },
  { label: "Create a space", words: "new add agent", hint: "Action", href: "/spaces" },
  { label: "Send a turn", words: "try chat run", hint: "Action", href: "/playground" },
  { label: "Compare two models", words: "side by side", hint: "Action", href: "/playground" },
  { label: "Add credit", words: "top up pay billing balance", hint: "Action", href: "/balance" },
  { label: "Change the password", words: "security login", hint: "Action", href: "/account" },
  {
    label: "Show the first steps",
    words: "checklist onboarding start setup",
    hint: "Action",
    href: "/home",
    run: () => {
      hideSetup(userId, test, false)
      location.assign(test ? "/home?test=true" : "/home")
    },
  },
  {
    label: test ? "Show live data" : "Show test data",
    words: "mode switch",
    hint: "Action",
    href: "#test-data",
    run: press(/^Test data$/),
  },
  {
    label: "Change between UTC and local times",
    words: "zone timezone clock",
    hint: "Action",
    href: "#times",
    run: press(/^Times are/),
  },
  { label: "Change the theme", words: "dark light", hint: "Action", href: "#theme", run: press(/^Change the theme/) },
  { label: "Sign out", words: "log out leave logout", hint: "Action", href: "#sign-out", run: press(/^Sign out$/) },
  { label: "Create a user", words: "new add customer", hint: "Action", href: "/operator/users", forAdmins: true },
  { label: "Add a model", words: "new catalog", hint: "Action", href: "/operator/catalog", forAdmins: true },
  {
    label: "Prices of models",
    words: "change price cost markup",
    hint: "Action",
    href: "/operator/catalog",
    forAdmins: true,
  },
  {
    label: "Block a user",
    words: "disable suspend lock account",
    hint: "Action",
    href: "/operator/users",
    forAdmins: true,
  },
  {
    label: "Book credit",
    words: "add grant top up balance money user",
    hint: "Action",
    href: "/operator/users",
    forAdmins: true,
  },
  { label: "Refund a turn", words: "return money back", hint: "Action", href: "/operator/turns", forAdmins: true },
]

const holds = (text: string, words: readonly string[]) => words.every((word) => text.toLowerCase().includes(word))

/** Ranks a title for the typed text; lower is better: equal, its start, a part of it, another match. */
const fitOf = (title: string, wanted: string) =>
  [
    title.toLowerCase() === wanted,
    title.toLowerCase().startsWith(wanted),
    title.toLowerCase().includes(wanted),
    true,
  ].indexOf(true)

/** The pages, actions and documents that match a text, best first. Pages of the current area precede equal ones. */
export function commandsFor(text: string, situation: Situation): Entry[] {
  const { admin, operators } = situation
  const wanted = text.trim().toLowerCase()
  const words = wanted.split(/\s+/)
  const isOpen = ({ path }: AreaPage) => !path.includes("$") && (admin || !isOperators(path))
  const found: (Entry & { rank: number })[] = [
    ...ALL_PAGES.filter((page) => isOpen(page) && holds(`${page.title} ${page.about} ${page.nav ?? ""}`, words)).map(
      ({ title, path, nav }) => ({
        label: title,
        hint: nav ?? "",
        href: path,
        rank: 4 * fitOf(title, wanted) + Number(isOperators(path) !== operators),
      }),
    ),
    ...actionsOf(situation)
      .filter(({ label, words: more, forAdmins }) => (admin || !forAdmins) && holds(`${label} ${more}`, words))
      .map(({ words: _words, forAdmins: _forAdmins, ...action }) => ({
        ...action,
        rank: 4 * fitOf(action.label, wanted) + 2,
      })),
    // Without a text, the list is of pages and actions.
    ...DOCUMENTS.filter(
      ({ title, words: more, operators: theirs }) =>
        wanted && (admin || !theirs) && holds(`${title} ${more} docs guide`, words),
    ).map(({ title, path }) => ({
      label: title,
      hint: "Documentation",
      href: path,
      leaves: true as const,
      rank: 4 * fitOf(title, wanted) + 3,
    })),
  ]
  return found.sort((a, b) => a.rank - b.rank).map(({ rank: _rank, ...entry }) => entry)
}

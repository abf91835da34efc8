import type { OperationId } from "../api/call.ts"
import { DOCUMENTS } from "../api/documents.ts"
import { hideSetup } from "../home/setup-steps.ts"
import { type Rights, refusalOf } from "../ui/rights.ts"
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
  rights: Rights
}

interface Action extends Entry {
  /** Other words by which it is found. */
  words: string
  forAdmins?: true
  /** The operation of the action. */
  does?: OperationId
}

/** The buttons of the frame do these acts. The palette presses them, so there is one way to do each. */
const press = (label: RegExp) => () =>
  [...document.querySelectorAll<HTMLElement>("aside button, aside label")]
    .find((one) => label.test(one.getAttribute("aria-label") ?? one.textContent ?? ""))
    ?.click()

const actionsOf = ({ userId, test }: Situation): Action[] => [
  { label: "Create an API key", words: "new add", hint: "Action", href: "/keys?new=true", does: "createKey" },
  {
    label: "Create a webhook",
    words: "new add endpoint",
    hint: "Action",
    href: "/webhooks?new=true",
    does: "createWebhook",
  },
  { label: "Create a space", words: "new add agent", hint: "Action", href: "/spaces", does: "createSpace" },
  { label: "Send a turn", words: "try chat run", hint: "Action", href: "/playground", does: "createChatTurn" },
  { label: "Compare two models", words: "side by side", hint: "Action", href: "/playground", does: "createChatTurn" },
  { label: "Add credit", words: "top up pay billing balance", hint: "Action", href: "/balance" },
  { label: "Invite a person", words: "member team people", hint: "Action", href: "/people", does: "inviteMember" },
  { label: "Switch the account", words: "change member", hint: "Action", href: "/accounts" },
  { label: "Change the password", words: "security login", hint: "Action", href: "/account" },
  {
    label: "Show the first steps",
    words: "checklist onboarding start setup",
    hint: "Action",
    href: "/home",
    does: "createKey",
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
  {
    label: "Show the keys",
    words: "keyboard shortcuts help",
    hint: "Action",
    href: "#keys",
    run: press(/^Show the keys$/),
  },
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
  const { admin, operators, rights } = situation
  const wanted = text.trim().toLowerCase()
  const words = wanted.split(/\s+/)
  const isOpen = ({ path, does }: AreaPage) =>
    !path.includes("$") && (admin || !isOperators(path)) && !refusalOf(rights, does)
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
      .filter(
        ({ label, words: more, forAdmins, does }) =>
          (admin || !forAdmins) && !refusalOf(rights, does) && holds(`${label} ${more}`, words),
      )
      .map(({ words: _words, forAdmins, does: _does, ...action }) => ({
        ...action,
        // On the pages of operators, an action of theirs precedes equal pages.
        rank: 4 * fitOf(action.label, wanted) + (forAdmins && operators ? 0 : 2),
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

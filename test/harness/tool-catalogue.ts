import type { ToolSpec } from "../../src/agent/engine.ts"
import type { Random } from "./random.ts"

/**
 * Random catalogues of tools, and the words with which a model looks for one of them. The words of the queries are
 * chosen here, without regard to the words that the search knows.
 */

/** How authors name and describe what a tool does, and how a model may ask for it. */
const ACTIONS = [
  { verb: "create", told: ["Creates", "Adds", "Registers"], asked: ["make a new", "set up", "add", "open a new"] },
  { verb: "get", told: ["Returns", "Gets", "Retrieves"], asked: ["show me", "look at", "read", "see the details of"] },
  { verb: "list", told: ["Lists", "Returns all", "Enumerates"], asked: ["overview of all", "which exist:", "browse"] },
  { verb: "search", told: ["Searches", "Finds", "Queries"], asked: ["look for", "locate", "find the right"] },
  { verb: "update", told: ["Updates", "Modifies", "Changes"], asked: ["edit", "correct", "change something in"] },
  { verb: "delete", told: ["Deletes", "Removes"], asked: ["get rid of", "erase", "throw away"] },
  { verb: "cancel", told: ["Cancels", "Aborts"], asked: ["stop", "call off", "do not want any more"] },
  { verb: "approve", told: ["Approves", "Accepts"], asked: ["say yes to", "confirm", "sign off on"] },
  { verb: "assign", told: ["Assigns", "Allocates"], asked: ["give someone", "hand over", "put a person on"] },
  { verb: "export", told: ["Exports", "Downloads"], asked: ["save to disk", "get a csv of", "download"] },
  { verb: "archive", told: ["Archives"], asked: ["put away old", "move to the archive", "archiving"] },
  { verb: "share", told: ["Shares"], asked: ["let others see", "give access to", "sharing"] },
] as const

/** The noun in names and descriptions, and other forms and words for it. */
const ENTITIES: readonly (readonly [string, ...string[]])[] = [
  ["invoice", "invoices", "bill", "invoicing"],
  ["order", "orders", "purchase", "ordered goods"],
  ["refund", "refunds", "refunding", "money back"],
  ["customer", "customers", "client", "buyer"],
  ["subscription", "subscriptions", "subscribed plan", "plan"],
  ["shipment", "shipments", "parcel", "delivery"],
  ["ticket", "tickets", "support ticket", "case"],
  ["issue", "issues", "bug", "problem report issue"],
  ["pull_request", "pull requests", "PR", "pull-request"],
  ["branch", "branches", "git branch", "branching"],
  ["repository", "repositories", "repo", "code repository"],
  ["commit", "commits", "committed change", "commit history"],
  ["release", "releases", "released version", "release notes"],
  ["deployment", "deployments", "rollout", "deployed app"],
  ["pipeline", "pipelines", "build pipeline", "CI pipeline"],
  ["meeting", "meetings", "appointment", "calendar meeting"],
  ["calendar_event", "calendar events", "calendar entry", "appointment in the calendar"],
  ["message", "messages", "text message", "messaging"],
  ["channel", "channels", "chat channel", "channel for the team"],
  ["email", "emails", "mail", "e-mail"],
  ["contact", "contacts", "contact person", "address book contact"],
  ["lead", "leads", "sales lead", "prospect"],
  ["deal", "deals", "sales deal", "opportunity"],
  ["campaign", "campaigns", "marketing campaign", "ad campaign"],
  ["coupon", "coupons", "discount code", "voucher"],
  ["product", "products", "item of the shop", "article"],
  ["inventory_level", "inventory levels", "stock", "inventory"],
  ["warehouse", "warehouses", "storage warehouse", "warehouse location"],
  ["supplier", "suppliers", "supplying company", "supplier record"],
  ["employee", "employees", "staff member", "colleague"],
  ["leave_request", "leave requests", "vacation request", "holiday leave"],
  ["payslip", "payslips", "pay slip", "payslip of an employee"],
  ["timesheet", "timesheets", "time sheet", "timesheet entry"],
  ["expense", "expenses", "expense report", "travel expense"],
  ["document", "documents", "doc", "written document"],
  ["folder", "folders", "directory", "folder for files"],
  ["spreadsheet", "spreadsheets", "spread sheet", "spreadsheet file"],
  ["presentation", "presentations", "slide presentation", "presentation slides"],
  ["wiki_page", "wiki pages", "page of the wiki", "wiki article"],
  ["dashboard", "dashboards", "metrics dashboard", "dashboard view"],
  ["alert", "alerts", "alerting", "alert of the monitoring"],
  ["incident", "incidents", "outage incident", "incident report"],
  ["database", "databases", "DB database", "sql database"],
  ["table", "tables", "database table", "data table"],
  ["bucket", "buckets", "storage bucket", "bucket of objects"],
  ["virtual_machine", "virtual machines", "VM virtual machine", "cloud machine"],
  ["certificate", "certificates", "TLS certificate", "ssl certificate"],
  ["domain", "domains", "domain name", "web domain"],
  ["webhook", "webhooks", "web hook webhook", "webhook endpoint"],
  ["api_key", "API keys", "key for the API", "api key"],
  ["survey", "surveys", "questionnaire survey", "survey form"],
  ["booking", "bookings", "booked table", "booking of a room"],
  ["flight", "flights", "plane flight", "flight to a city"],
  ["hotel", "hotels", "hotel stay", "hotel room"],
  ["playlist", "playlists", "music playlist", "play list"],
  ["video", "videos", "video clip", "video recording"],
  ["photo", "photos", "picture", "image"],
  ["recipe", "recipes", "cooking recipe", "recipe for dinner"],
  ["workout", "workouts", "training workout", "workout plan"],
  ["translation", "translations", "translated text", "translating"],
]

const SERVICES =
  "acme billing github linear jira slack notion shopify hubspot zendesk workday calendar drive datadog aws cloudflare stripe sendgrid airtable asana intercom salesforce figma spotify booking".split(
    " ",
  )

const NOISE = [
  "Requires the scope `write`.",
  "Results are paginated, 50 per page.",
  "Returns JSON.",
  "Use this only if the user has asked for it.",
  "Fails with 404 if it does not exist.",
  "Rate limited to 60 requests per minute.",
]

const capital = (word: string) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`

const STYLES: ((verb: string, noun: string) => string)[] = [
  (verb, noun) => `${verb}_${noun}`,
  (verb, noun) => `${verb}${noun.split("_").map(capital).join("")}`,
  (verb, noun) => `${noun.replaceAll("_", "-")}-${verb}`,
  (verb, noun) => `${noun}_${verb}`,
]

export interface CatalogueTool {
  server: string
  spec: ToolSpec
  /** The sense of the tool: no other tool of the server has it. */
  sense: string
  /** How a model may ask for it. */
  ask(random: Random): string
}

/** A catalogue of some servers with some tools each. Each server has its own style of names. */
export function makeCatalogue(random: Random, { servers, tools }: { servers: number; tools: number }) {
  const names = shuffled(random, SERVICES).slice(0, servers)
  return names.flatMap((server) => {
    const style = random.pick(STYLES)
    const pairs = ENTITIES.flatMap((entity) => ACTIONS.map((action) => ({ entity, action })))
    const own = shuffled(random, ENTITIES).slice(0, Math.ceil(tools / 4))
    const wanted = shuffled(
      random,
      pairs.filter(({ entity }) => own.includes(entity)),
    ).slice(0, tools)
    return wanted.map(({ entity, action }): CatalogueTool => {
      const [noun] = entity
      const plain = noun.replaceAll("_", " ")
      const told = `${random.pick(action.told)} ${random.pick(["a", "the", "one"])} ${plain} in ${capital(server)}.`
      const spec: ToolSpec = {
        name: `${server}__${style(action.verb, noun)}`,
        description: [told, ...shuffled(random, NOISE).slice(0, random.int(3))].join(" "),
        inputSchema: {
          type: "object",
          properties: {
            [`${noun}_id`]: { type: "string", description: `The id of the ${plain}.` },
            dry_run: { type: "boolean" },
          },
          required: [`${noun}_id`],
        },
      }
      return {
        server,
        spec,
        sense: `${action.verb} ${noun}`,
        ask: (chance) => `${chance.pick(action.asked)} ${chance.pick(entity.slice(1))}`,
      }
    })
  })
}

export function shuffled<T>(random: Random, all: readonly T[]): T[] {
  const rest = [...all]
  for (let at = rest.length - 1; at > 0; at--) {
    const other = random.int(at + 1)
    ;[rest[at], rest[other]] = [rest[other] as T, rest[at] as T]
  }
  return rest
}

/** A query for a tool. If other servers have a tool with the same sense, the model names the server. */
export function queryFor(random: Random, catalogue: readonly CatalogueTool[], wanted: CatalogueTool): string {
  const isShared = catalogue.some(({ sense, server }) => sense === wanted.sense && server !== wanted.server)
  return `${wanted.ask(random)}${isShared ? ` in ${wanted.server}` : ""}`
}

/**
 * The customers of the generated month. Barbara is not among them, so that her pages stay empty. Shares and weights are
 * relative to each other.
 */
export const CUSTOMERS = [
  { name: "Demo", credit: 400, plan: null, share: 10, endUsers: 40 },
  { name: "Northwind", credit: 300, plan: "pro", share: 6, endUsers: 25 },
  { name: "Contoso", credit: 200, plan: "pro", share: 4, endUsers: 15 },
  { name: "Grace", credit: 80, plan: null, share: 3, endUsers: 8 },
  { name: "Alan", credit: 3, plan: null, share: 2, endUsers: 4 },
  { name: "Fabrikam", credit: 40, plan: null, share: 1, endUsers: 3 },
  { name: "Tailspin", credit: 20, plan: "trial", share: 1, endUsers: 2 },
] as const

export const DEMO_SPACES = [
  {
    title: "Support",
    model: "openai-compatible/demo",
    weight: 6,
    instructions:
      "You help the customers of a shop. Look the order up before you say where it is. Answer in two sentences.",
    hasTool: true,
  },
  {
    title: "Sales assistant",
    model: "anthropic/demo",
    weight: 3,
    instructions: "You know the shop's catalogue. Recommend at most three things, each with its price.",
    hasTool: false,
  },
  {
    title: "Invoices",
    model: "openai-compatible/demo",
    weight: 1,
    instructions: "You explain invoices. Never guess an amount: say which line it is from.",
    hasTool: false,
    // These answers may be slower, and cost half.
    serviceTier: "flex",
  },
] as const

export const LATER_INSTRUCTIONS =
  "You help the customers of a shop. Look the order up before you say where it is. Answer in two sentences, in the customer's language. Offer a refund only when the parcel is more than ten days late."

/** The messages of end users and the answers of the agent. `looks`: the agent first looks an order up. */
export const TALKS = [
  {
    asks: "Where is my order A-1042?",
    says: "It left our warehouse this morning. You should have it on Thursday.",
    looks: true,
    topic: "orders",
  },
  {
    asks: "Has A-1077 been sent yet?",
    says: "Not yet: it is being packed, and goes out tomorrow before noon.",
    looks: true,
    topic: "orders",
  },
  {
    asks: "I would like to return the blue jacket.",
    says: "Certainly. I have sent a label to your address; any post office takes the parcel.",
    looks: false,
    topic: "returns",
  },
  {
    asks: "Which of your lamps is the brightest?",
    says: "The Arc 40 with 1,800 lumens, for 89.00 EUR. The Desk 12 is smaller, with 1,200 lumens for 49.00 EUR.",
    looks: false,
    topic: "products",
  },
  {
    asks: "Why was I charged twice?",
    says: "One of the two is a reservation by your bank, which ends within three days. You were billed once, 64.20 EUR.",
    looks: false,
    topic: "billing",
  },
  {
    asks: "Do you ship to Norway?",
    says: "Yes, in four to six days, for 12.00 EUR. Duties are paid at the door.",
    looks: false,
    topic: "shipping",
  },
  {
    asks: "Please send me last month's invoice again.",
    says: "It is on its way to the address of your account. It has the number 2026-3391.",
    looks: false,
    topic: "billing",
  },
  {
    asks: "My parcel A-1101 arrived broken.",
    says: "I am sorry. A new one leaves today, and you need not send the old one back.",
    looks: true,
    topic: "returns",
  },
] as const

/**
 * The requests by which the demo's owner sells turns: two prices, a customer who pays in advance and whose wallet gets
 * low, and a report by topic.
 */
export const RESALE = [
  ["PUT", "/v1/prices/standard", { multiplier: 1.5, per_turn_usd: 0.002, rounding: { to_usd: 0.0001, mode: "up" } }],
  ["PUT", "/v1/prices/premium", { multiplier: 2, per_model: { "anthropic/demo": 2.5 }, per_turn_usd: 0.01 }],
  ["PUT", "/v1/end-users/customer-1001/billing", { price: "premium" }],
  ["PUT", "/v1/end-users/customer-1002/billing", { price: "standard" }],
  ["POST", "/v1/end-users/customer-1002/credits", { amount_usd: 1.2, note: "Order 2231" }],
  ["PUT", "/v1/usage-keys", { keys: ["topic"] }],
] as const

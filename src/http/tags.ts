/** What the groups of operations are, for the reference, in its order. */
export const TAGS: Record<string, string> = {
  Spaces: "Isolated agents, each with its own configuration, conversations and files.",
  Configuration: "How a space's agent works: its manifest, its secrets, and every version of all that.",
  Tools: "What an agent can call: your REST interface, and MCP servers.",
  Files: "Files for turns, and those that agents make.",
  Turns: "Requests to agents: sent, read, followed, cancelled.",
  Webhooks: "Events posted to your server, signed, and every attempt to do so.",
  Events: "The feed of what webhooks are told, to catch up with.",
  "End users": "Your customers: what each has cost, what each may cost, and how each is forgotten.",
  Usage: "What was billed, and for whom.",
  Models: "What agents can run on, and its price.",
  "API keys": "Keys of your servers: what each may see and spend, its rotation and its end.",
  "Signing in": "Every way to a session, and its end.",
  Identities: "Who you are at identity providers: each is a way in.",
  Sessions: "Where you are signed in, and your password.",
  Chat: "A conversation with the agent of a space of yours, without a key.",
  Account: "Who asks, and the balance behind that.",
}

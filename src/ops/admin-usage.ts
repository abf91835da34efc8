import { NONE, PRICE_WORDS } from "./price-options.ts"
import { SHOWN_DAYS } from "./provider-books.ts"

/** The help of `npm run admin`. */
export const ADMIN_USAGE = `npm run admin -- COMMAND [OPTIONS] works on the database of DATABASE_URL, a direct connection string.
With UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN, a service that sleeps notices a change at once; without them,
within two hours.

Releases
  migrate [--after-deploy]
      apply the migrations that are safe before the deploy, and add the procedures of this release;
      with --after-deploy the other migrations too, when no worker of the previous release runs any
      more
  prune-releases [--keep-days N]
      remove the procedures of releases that were applied more than N days ago (default 7), except
      those of this release and the one before it
  restored
      prepare a database that pg_restore has filled, before workers use it

Workers and keys
  grant [--worker W] [--renew]
      create the database roles of the workers and grant each the rights that its worker needs;
      prints the connection strings of new roles once; --renew: new passwords
  worker-keys [--worker W]
      derive the SECRETS_KEYS of each worker from the whole key ring in SECRETS_KEYS, and publish
      the public halves of its keys that sign receipts, statements and identities
  reseal
      encrypt every stored secret again with the first key in SECRETS_KEYS, so that the other keys
      can be removed
  retire-signing-key --kid KID --reason TEXT
      withdraw a signing key: it leaves /.well-known/jwks.json, signs
      nothing more, and every document that it signed is invalid; put a new key before it first

Users
  user --email E [--name N] [--admin] [--brand B]
      create a user; prints the id, and the password of an admin once
  disable --user ID
      end the user's sessions and turns, and disable the keys and webhooks
  enable --user ID
      enable the user, the keys and the webhooks again
  role --user ID --role user|admin
      change the role, from the user's next request on
  owner --account ID --user ID
      make a user an owner of an account, such as one whose only owner is disabled
  reset-factor --user ID
      remove the second factor of a user who has lost it
  magic-link --user ID --url ORIGIN
      create a link that signs the user in once; needs UPSTASH_REDIS_REST_URL and
      UPSTASH_REDIS_REST_TOKEN
  session --user ID
      create a session of an hour without Redis and without a second factor, and print its cookie;
      needs SECRETS_KEYS
  key --user ID --name N [--test] [--scope created|all] [--brand B]
      create an API key; prints its value once

Money
  top-up --user ID --usd AMOUNT [--reason R] [--note TEXT] [--reference ID]
      add credit (default reason: operator_topup); a reference is booked only once; --reason
      admin_action also accepts a negative amount: --usd=-1
  refund --turn ID --note TEXT
      refund the bill of a turn; a second refund changes nothing
  reconcile
      check all books now and print the report; exits with 1 if it has findings
  losses [--days N]
      print the cost of model calls that no account pays, by day and cause (default 30)

Brands and models
  brand --brand B [--host H]… [--landing PATH] [--bot-username U] [--bot-token T]
      create or change a brand; \`--bot-token -\` reads the token from the standard input; needs
      SECRETS_KEYS for a token; prints the bot's new webhook secret once
  bot-webhook --brand B [--host H]
      register the webhook of the brand's bot at the messaging platform, at this host or the brand's
      first one; needs SECRETS_KEYS
  model --pin ENGINE/MODEL [--idle-seconds N] [--label L]
        [--PRICE USD]… [--tiers JSON] [--modifiers JSON] [--provider JSON] [--markup JSON]
      enable a model, and add it if it is new; what no option names stays as it is;
      the value ${NONE} removes what an option has set, such as --cache-write ${NONE} or --markup ${NONE};
      a new model needs --input and --output, or --provider and --markup;
      each PRICE is in USD per million tokens, and one of these:
      ${PRICE_WORDS.join("\n      ")}
      --tiers: prices for longer prompts, such as [{"above_input_tokens":272000,"input":5,"cached":0.5,"output":22.5}]
      --modifiers: factors by how a call was served, such as {"flex":0.5,"priority":2}
      --provider: the provider's prices if they differ from ours, such as
        {"input":2,"cached":0.2,"output":8,"tiers":[…],"modifiers":{…}}; ${NONE}: they are ours
      --markup: makes our prices of the provider's, such as {"percent":20,"usd_per_million_tokens":0.05};
        without --provider, the prices until now become the provider's; ${NONE}: our prices stay, as a list of their own
  models check [--json]
      compare the catalog with the price feed of this release, and ask no network: prices, tiers,
      context windows and retirements; changes nothing; exits with 1 if it has findings

Provider's books
  books [--days N] [--provider-id ID] [--json]
      list the compared days of provider accounts (default ${SHOWN_DAYS} days) with the provider's cost, ours, the
      billed amount, the real margin and the findings; exits with 1 if findings are not seen yet
  books day --provider-id ID --day DAY [--json]
      show one day (UTC): the numbers of each model and the findings; --json: our calls of the day, too
  books compare [--provider-id ID --day DAY] [--json]
      read the providers' reports now, and compare this day again, or all days that are due; needs SECRETS_KEYS
  books seen --provider-id ID --day DAY
      mark the findings of a day as seen, so that they are no alert any more`

/** Registered clients, each with a different client authentication. */
export const OPENID_CLIENTS = {
  basic: {
    client_id: "by-basic",
    client_secret: "a secret: with % and +",
    token_endpoint_auth_method: "client_secret_basic",
  },
  post: { client_id: "by-post", client_secret: "another secret", token_endpoint_auth_method: "client_secret_post" },
  public: { client_id: "public", token_endpoint_auth_method: "none" },
} as const

/** The client for logins of provider accounts: by code and by device, with rotating refresh tokens. */
export const ACCOUNTS_CLIENT = {
  client_id: "accounts",
  client_secret: "a secret of accounts",
  token_endpoint_auth_method: "client_secret_basic",
  callback: "http://127.0.0.1:8976/callback",
} as const

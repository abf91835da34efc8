/** Its clients: each proves itself in another way. */
export const OPENID_CLIENTS = {
  basic: {
    client_id: "by-basic",
    client_secret: "a secret: with % and +",
    token_endpoint_auth_method: "client_secret_basic",
  },
  post: { client_id: "by-post", client_secret: "another secret", token_endpoint_auth_method: "client_secret_post" },
  public: { client_id: "public", token_endpoint_auth_method: "none" },
} as const

// Gives the viewer the test key and the test space of this tab, if the reader has created them on a page of the docs.
// A request with the example's Idempotency-Key gets a new key, so that a second try is not a repeat of the first.
{
  // The examples of the document; a test compares them.
  const KEYS = ["8e03978e-40d5-43e8-bc93-6894a57f9324", "order-1001"]
  const SPACE = "spc_01jd3k9m2x4t8r5w6y7z0a1b2c"
  let values = null
  try {
    values = JSON.parse(sessionStorage.getItem("docs.test-key") ?? "null")
  } catch {}
  const token = values?.TURNPIKE_API_KEY
  const reference = document.getElementById("api-reference")
  if (reference && /_test_/.test(token ?? "")) {
    const configuration = JSON.parse(reference.dataset.configuration)
    const authentication = { preferredSecurityScheme: "api_key", securitySchemes: { api_key: { token } } }
    reference.dataset.configuration = JSON.stringify({ ...configuration, authentication })
  }
  const send = window.fetch
  window.fetch = async (input, init) => {
    const request = new Request(input, init)
    if (KEYS.includes(request.headers.get("idempotency-key"))) {
      request.headers.set("idempotency-key", crypto.randomUUID())
    }
    const response = await send(request)
    const space = values?.TURNPIKE_SPACE
    if (!space || !request.url.endsWith("/v1/openapi.json")) return response
    return new Response((await response.text()).replaceAll(SPACE, space), response)
  }
}

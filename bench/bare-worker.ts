import { neon, neonConfig } from "@neondatabase/serverless"

interface Env {
  DATABASE_URL: string
  DATABASE_HTTP_URL: string
}

/** The minimum that a worker with a database can do: insert one small row. The service is compared with it. */
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    neonConfig.fetchEndpoint = env.DATABASE_HTTP_URL
    const sql = neon(env.DATABASE_URL)
    const id = request.headers.get("idempotency-key")
    const rows = await sql.query("insert into bench_rows (id, body) values ($1, $2) returning id", [
      id,
      await request.text(),
    ])
    return Response.json({ id: rows[0]?.id }, { status: 202 })
  },
}

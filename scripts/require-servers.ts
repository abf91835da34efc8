/** Without real servers, this would be the ordinary suite under another name. */
for (const name of ["DATABASE_URL", "REDIS_URL"]) {
  if (!process.env[name]) {
    console.error(`Set ${name}: npm run test:real needs a PostgreSQL and a Redis server of yours (a superuser's URL).`)
    process.exit(1)
  }
}

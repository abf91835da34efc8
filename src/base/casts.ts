/*
 * Casts that the compiler cannot check, each with what guarantees it. No other file of src casts through
 * `unknown` (test/structure/casts.test.ts).
 */

/**
 * A row as PostgreSQL has built it, with the type that its serializer reads. The generated types know its columns, but
 * neither the content of jsonb columns nor the words of a state. CHECKs and procedures guarantee these, and the tests
 * of OpenAPI compare what the serializers make of them with the schemas.
 */
export const storedRow = <Row>(row: unknown): Row => row as Row

/** The same for rows of one kind. Null, as an aggregate of no rows returns it, means none. */
export const storedRows = <Row>(rows: readonly unknown[] | null | undefined): Row[] => (rows ?? []) as Row[]

/**
 * A query with the type of another one that has the same columns, or that may name fewer tables. Kysely compiles both
 * to the same text: tables exist in its types only.
 */
export const sameQuery = <Query>(query: unknown): Query => query as Query

/** A part of a library or of the runtime that its types do not declare, in the form that this version has. */
export const undeclared = <Shape>(value: unknown): Shape => value as Shape

/**
 * An object whose fields were put together by name, from a list of names or by adding some to others. The caller's own
 * type parameters guarantee that no name is missing.
 */
export const composed = <Whole>(parts: unknown): Whole => parts as Whole

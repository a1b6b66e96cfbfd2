// Applies a migration that creates indexes while the tables are being written. Such statements cannot be part of a
// transaction, so a migration may end halfway. It can be applied again: indexes that are complete stay, one that is not
// is dropped first.
import type { QueryResult } from 'pg'

const comment = /^[ \t]*--.*$/gm
const endOfStatement = /;\s*(?:\n|$)/
const createIndex = /^create (?:unique )?index concurrently if not exists (\w{1,63})\s/

/** `query` sends one statement. */
export async function createIndexes(sql: string, query: (text: string) => Promise<QueryResult>): Promise<void> {
  const statements = sql
    .replaceAll(comment, '')
    .split(endOfStatement)
    .map((text) => text.trim())
    .filter((text) => text !== '')
  const indexes = statements.map((text) => ({ text, name: nameOf(text) }))
  for (const { text, name } of indexes) {
    await dropIfInvalid(name, query)
    await query(text)
  }
}

function nameOf(statement: string): string {
  const [, name] = createIndex.exec(statement) ?? []
  if (name !== undefined) return name
  throw new Error(
    `A concurrent migration may only have statements of the form "create index concurrently if not exists <name> on …". This is none: ${statement.slice(0, 100)}`,
  )
}

/** A statement that was interrupted, or that failed, leaves an index that is not used and not completed. */
async function dropIfInvalid(name: string, query: (text: string) => Promise<QueryResult>): Promise<void> {
  const { rowCount } = await query(`select from pg_index where indexrelid = to_regclass('${name}') and not indisvalid`)
  if (rowCount === 1) await query(`drop index concurrently ${name}`)
}

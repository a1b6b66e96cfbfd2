// What stops the embedded PostgreSQL for a reason the operator can act on: its message is a whole sentence, fit to be
// shown as it is, without a stack.

export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError'
}

// A fault of the embedded PostgreSQL that the operator can fix. Its message consists of whole sentences and is shown
// without a stack trace.

export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError'
}

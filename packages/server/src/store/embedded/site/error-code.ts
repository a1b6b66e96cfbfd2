// The code of an error of the system or of PostgreSQL.

/** 'ENOENT', '57P03' … */
export function errorCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : undefined
}

/** Connection refused or closed: the server is starting, stopping or gone. */
export function isConnectionLoss(error: unknown): boolean {
  const code = errorCode(error)
  if (code !== undefined) return /^(57P0[123]|ENOENT|ECONN[A-Z]+|EPIPE)$/.test(code)
  return error instanceof Error && /^Connection terminated|connection error and is not queryable/.test(error.message)
}

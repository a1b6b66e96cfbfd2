// The body of an outgoing request.

export const maxBodyBytes = 1024 * 1024

/** Undefined: no body. Null counts as no body, because models send it for fields that they omit. */
export function bodyText(body: unknown): string | undefined {
  if (body === undefined || body === null) return undefined
  return typeof body === 'string' ? body : JSON.stringify(body)
}

export const bodyType = (body: unknown): string =>
  typeof body === 'string' ? 'text/plain;charset=UTF-8' : 'application/json'

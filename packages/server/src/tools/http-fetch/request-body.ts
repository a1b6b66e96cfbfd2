// The body of a request as it is sent.

export const maxBodyBytes = 1024 * 1024

/** Undefined: no body. Null is none either, since models write it for what they leave out. */
export function bodyText(body: unknown): string | undefined {
  if (body === undefined || body === null) return undefined
  return typeof body === 'string' ? body : JSON.stringify(body)
}

export const bodyType = (body: unknown): string =>
  typeof body === 'string' ? 'text/plain;charset=UTF-8' : 'application/json'

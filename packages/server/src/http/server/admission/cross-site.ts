// Refuses requests that another site makes a browser send. The browser adds the cookie of the console by itself, so a
// cookie alone does not prove that the console sent the request.
import type { IncomingHttpHeaders } from 'node:http'
import { ServiceError } from '../../../domain/service-error.ts'

/** A page of another origin cannot set this header: the browser would ask first, and CORS does not allow it. */
const proof = 'x-runwright-console'

export function refuseCrossSite(headers: IncomingHttpHeaders): void {
  if (headers[proof] === '1' && isSameOrigin(headers)) return
  throw new ServiceError(
    'CROSS_SITE_REQUEST',
    `The cookie of the console is accepted only from the console: its requests have the header ${proof}: 1 and come from the same origin.`,
  )
}

/**
 * `Sec-Fetch-Site` comes first, because the browser compares the origins itself. It is not sent over http, except to
 * localhost. Then the origin must be that of the host, which a proxy in front of the service has to pass on.
 */
function isSameOrigin({ 'sec-fetch-site': site, origin, host }: IncomingHttpHeaders): boolean {
  if (site !== undefined) return site === 'same-origin'
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host)
}

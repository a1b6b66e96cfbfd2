// The security headers of all responses, and the content security policies of the API and of its pages.

const contentSecurityPolicy = (directives: Readonly<Record<string, string>>): string =>
  Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources}`)
    .join('; ')

/** For every response: the API is not to be framed, sniffed, cached or executed as a page. */
export const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': contentSecurityPolicy({ 'default-src': "'none'", 'frame-ancestors': "'none'" }),
  'cache-control': 'no-store',
} as const

/** For HTML pages and their files: everything comes from this service, and nothing is inline. */
export const pageHeaders = {
  'content-security-policy': contentSecurityPolicy({
    'default-src': "'self'",
    'style-src': "'self'",
    'img-src': "'self' data:",
    'connect-src': "'self'",
    'object-src': "'none'",
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
  }),
  'referrer-policy': 'no-referrer',
} as const

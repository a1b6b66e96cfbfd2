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

/** For a page without scripts, whose one style sheet has this hash and whose form is sent to this service. */
export const plainPageHeaders = (styleHash: string) => ({
  'content-security-policy': contentSecurityPolicy({
    'default-src': "'none'",
    'style-src': `'${styleHash}'`,
    // The empty icon of the page, without which browsers ask for one.
    'img-src': 'data:',
    'base-uri': "'none'",
    'form-action': "'self'",
    'frame-ancestors': "'none'",
  }),
  'x-robots-tag': 'noindex, nofollow',
})

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

// Addresses of the web console. They never contain a key.
export const consoleUrl = (url: string, runId?: string): string =>
  runId === undefined ? `${url}/console` : `${url}/console/#/runs/${encodeURIComponent(runId)}`

/** A link that signs in with a one-time code. */
export const signInUrl = (url: string, code: string, runId?: string): string =>
  `${url}/console/#/sign-in?code=${code}${runId === undefined ? '' : `&run=${encodeURIComponent(runId)}`}`

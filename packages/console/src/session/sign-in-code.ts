// The one-time code of a sign-in link: `#/sign-in?code=…`, with `&run=…` if it leads to a run.

const queryOf = (url: string): URLSearchParams | undefined => {
  const [route, query] = new URL(url).hash.split('?', 2)
  return route === '#/sign-in' ? new URLSearchParams(query) : undefined
}

/** Undefined if the URL is not a sign-in link. */
export const findCode = (url: string): string | undefined => queryOf(url)?.get('code') ?? undefined

/** Removes the code from the URL and the history at once: it must not be copied, bookmarked or shown. */
export const takeCode = (url = window.location.href): string | undefined => {
  const code = findCode(url)
  if (code !== undefined) window.history.replaceState(null, '', pageAfter(queryOf(url)?.get('run')))
  return code
}

const pageAfter = (run: string | null | undefined): string => (run && /^run_\w+$/.test(run) ? `#/runs/${run}` : '#/')

// The one-time code of a sign-in link: `#/sign-in?code=…`.

/** Undefined if the URL is not a sign-in link. */
export const findCode = (url: string): string | undefined => {
  const [route, query] = new URL(url).hash.split('?', 2)
  return route === '#/sign-in' ? (new URLSearchParams(query).get('code') ?? undefined) : undefined
}

/** Removes the code from the URL and the history at once: it must not be copied, bookmarked or shown. */
export const takeCode = (): string | undefined => {
  const code = findCode(window.location.href)
  if (code !== undefined) window.history.replaceState(null, '', '#/')
  return code
}

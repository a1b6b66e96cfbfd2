// The query part of a route as plain text: `?status=failed`, not the JSON that the router would write by default.

type Search = Record<string, unknown>

export const parseSearch = (text: string): Record<string, string> => Object.fromEntries(new URLSearchParams(text))

/** Leaves out what is undefined or empty. */
export const stringifySearch = (search: Search): string => {
  const filled = Object.entries(search).filter(([, value]) => value !== undefined && value !== null && value !== '')
  const text = new URLSearchParams(filled.map(([name, value]) => [name, String(value)])).toString()
  return text === '' ? '' : `?${text}`
}

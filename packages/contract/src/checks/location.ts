// A location inside a JSON document, and how messages show it: `input.users[3].name`, `input["odd key"]`.

export type JsonLocation = readonly (string | number)[]

const maxShownLength = 200
const plainKey = /^[A-Za-z_$][\w$-]*$/

/** Limits the length; JSON escapes keep control characters and lone surrogates out of messages. */
function showKey(key: string): string {
  if (plainKey.test(key) && key.length <= maxShownLength) return key
  return JSON.stringify(key.length <= maxShownLength ? key : `${key.slice(0, maxShownLength)}…`)
}

const showPart = (part: string | number, position: number): string => {
  if (typeof part === 'number') return `[${part}]`
  const shown = showKey(part)
  if (shown.startsWith('"')) return `[${shown}]`
  return position === 0 ? shown : `.${shown}`
}

/** The empty location is the whole document. Messages begin with the location, hence the capital in `The body`. */
export function showLocation(location: JsonLocation): string {
  if (location.length === 0) return 'The body'
  let shown = ''
  for (const [position, part] of location.entries()) {
    if (shown.length > maxShownLength) return `${shown}…`
    shown += showPart(part, position)
  }
  return shown
}

// Names a place inside a JSON document for people: `input.users[3].name`, `input["odd key"]`.

export type JsonLocation = readonly (string | number)[]

const maxShownLength = 200
const plainKey = /^[A-Za-z_$][\w$-]*$/

/** The key as text of bounded length; JSON escapes keep control characters and lone surrogates out of messages. */
export function showKey(key: string): string {
  if (plainKey.test(key) && key.length <= maxShownLength) return key
  return JSON.stringify(key.length <= maxShownLength ? key : `${key.slice(0, maxShownLength)}…`)
}

const showPart = (part: string | number, position: number): string => {
  if (typeof part === 'number') return `[${part}]`
  const shown = showKey(part)
  if (shown.startsWith('"')) return `[${shown}]`
  return position === 0 ? shown : `.${shown}`
}

/** The empty location is the document itself. Sentences begin with the place, hence the capital. */
export function showLocation(location: JsonLocation): string {
  if (location.length === 0) return 'The body'
  let shown = ''
  for (const [position, part] of location.entries()) {
    if (shown.length > maxShownLength) return `${shown}…`
    shown += showPart(part, position)
  }
  return shown
}

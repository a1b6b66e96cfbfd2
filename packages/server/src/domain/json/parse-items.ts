// Parses the items of JSON arrays one by one. To parse a large text at once takes longer than the event loop may be
// held.

const quote = 0x22
const comma = 0x2c
const backslash = 0x5c
// `[` and `{`, `]` and `}` differ in this bit only.
const bracketBit = 0x20
const opening = 0x7b
const closing = 0x7d

/** How many characters are parsed before the work can be interrupted. */
const charactersAtOnce = 100_000

/** `text` must be a valid JSON array. Yields where the work can be interrupted. */
export function* parseItems<Item>(text: string): Generator<void, Item[]> {
  const items: Item[] = []
  let parsed = 0
  for (const item of yield* splitText(text)) {
    items.push(JSON.parse(item))
    parsed += item.length
    if (parsed < charactersAtOnce) continue
    parsed = 0
    yield
  }
  return items
}

/** `text` must be a valid JSON object, and its members must be arrays. Yields where the work can be interrupted. */
export function* parseLists(text: string): Generator<void, Record<string, unknown[]>> {
  const lists: Record<string, unknown[]> = {}
  for (const member of yield* splitText(text)) {
    const start = member.indexOf('"')
    const end = endOfString(member, start) + 1
    const key: string = JSON.parse(member.slice(start, end))
    lists[key] = yield* parseItems(member.slice(member.indexOf(':', end) + 1))
  }
  return lists
}

/** The texts between the commas of an array or object. */
function* splitText(text: string): Generator<void, string[]> {
  const texts: string[] = []
  let [depth, start, next] = [0, 0, charactersAtOnce]
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if ((code | bracketBit) === opening) {
      depth += 1
      if (depth === 1) start = at + 1
    } else if ((code | bracketBit) === closing) depth -= 1
    const isEnd = code === comma ? depth === 1 : (code | bracketBit) === closing && depth === 0
    if (isEnd && text.slice(start, at).trim() !== '') texts.push(text.slice(start, at))
    if (isEnd) start = at + 1
    if (at < next) continue
    next = at + charactersAtOnce
    yield
  }
  return texts
}

function endOfString(text: string, start: number): number {
  let at = start + 1
  for (let code = text.charCodeAt(at); code !== quote; code = text.charCodeAt(at)) at += code === backslash ? 2 : 1
  return at
}

// Joins events of a stream that only differ in their piece of text. Several arrive at once when this process is behind,
// and the SDK package needs as long for a word as for a paragraph.

const start = /"delta": ?\{(?:"(?:role|type)": ?"\w+", ?)?"(?:content|text)": ?"/y
const marker = '"delta":'

interface Delta {
  /** What comes before the text, and after it. */
  readonly before: string
  readonly text: string
  readonly after: string
}

/** Texts of JSON, whose escapes stay as they are. */
export function joinDeltas(events: readonly string[]): string[] {
  const joined: string[] = []
  let open: Delta | undefined
  for (const event of events) {
    const delta = readDelta(event)
    const isNext = open && delta && open.before === delta.before && open.after === delta.after
    open = isNext ? { ...delta, text: (open as Delta).text + delta.text } : delta
    const whole = open ? open.before + open.text + open.after : event
    if (isNext) joined[joined.length - 1] = whole
    else joined.push(whole)
  }
  return joined
}

function readDelta(event: string): Delta | undefined {
  start.lastIndex = event.indexOf(marker)
  if (start.lastIndex === -1 || !start.test(event)) return undefined
  const from = start.lastIndex
  const to = endOfText(event, from)
  return { before: event.slice(0, from), text: event.slice(from, to), after: event.slice(to) }
}

/** Where the quote is that ends the text. */
function endOfText(event: string, from: number): number {
  let at = event.indexOf('"', from)
  while (at !== -1 && isEscaped(event, at)) at = event.indexOf('"', at + 1)
  return at === -1 ? event.length : at
}

function isEscaped(event: string, at: number): boolean {
  let slashes = 0
  while (event[at - 1 - slashes] === '\\') slashes += 1
  return slashes % 2 === 1
}

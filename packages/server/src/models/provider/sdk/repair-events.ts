// Repairs events of a stream which the SDK packages refuse as a whole although only a detail is wrong: counts of tokens
// that are no numbers, and contents in parts. Other events pass as they came, or joined when there are many.
import { Buffer } from 'node:buffer'
import type { Bytes } from '../../../runtime/messages/limit-messages.ts'
import type { ByteFilter } from '../../../runtime/messages/limited-body.ts'
import { joinDeltas } from './join-deltas.ts'

type Fields = Record<string, unknown>

/** Only events with one of these are parsed. */
const signs = ['"usage', '"message_start"', '"message_delta"', '"content":[', '"content": [']

/** Gets line feeds as line ends. Whole events are passed on; the beginning of one waits for the rest. */
export function repairEvents(): ByteFilter {
  let pending: Bytes[] = []
  return {
    pass: (chunk) => {
      const endsNow = chunk[0] === lineEnd && pending.at(-1)?.at(-1) === lineEnd
      pending.push(chunk)
      if (!endsNow && !bufferOf(chunk).includes('\n\n')) return none
      const known = pending.length === 1 ? bufferOf(chunk) : Buffer.concat(pending)
      const end = known.lastIndexOf('\n\n') + 2
      pending = end === known.length ? [] : [known.subarray(end)]
      return repaired(known.subarray(0, end))
    },
    end: () => repaired(Buffer.concat(pending)),
  }
}

const none: Bytes = new Uint8Array(0)
const lineEnd = 10

const bufferOf = ({ buffer, byteOffset, length }: Bytes) => Buffer.from(buffer, byteOffset, length)

/** So many events at once have waited: this process is behind. */
const manyEvents = 16

function repaired(events: Buffer<ArrayBuffer>): Bytes {
  const isShort = events.length < manyEvents * 80
  if (isShort && !signs.some((sign) => events.includes(sign))) return events
  const parts = events.toString('utf8').split('\n\n').map(repairEvent)
  return Buffer.from((parts.length > manyEvents ? joinDeltas(parts) : parts).join('\n\n'))
}

export function repairEvent(event: string): string {
  if (!signs.some((sign) => event.includes(sign))) return event
  const lines = event.split('\n')
  const data = lines.filter((line) => line.startsWith('data:')).map((line) => line.slice('data:'.length).trimStart())
  const value = parsed(data.join('\n'))
  if (!isFields(value) || !repair(value)) return event
  const others = lines.filter((line) => !line.startsWith('data:'))
  return [...others, `data: ${JSON.stringify(value)}`].join('\n')
}

/** Changes the event. Returns whether there was anything to change. */
function repair(event: Fields): boolean {
  const { message, response } = event
  const changes = [
    event.type === 'message_delta' ? repairAnthropic(event, 'output_tokens') : repairUsage(event, 'usage'),
    isFields(message) && repairAnthropic(message, 'input_tokens'),
    isFields(response) && repairResponse(response),
    repairUsage(event, 'usageMetadata'),
    ...listOf(event.choices).map((choice) => joinContent(choice.delta)),
  ]
  return changes.some((changed) => changed)
}

function repairUsage(owner: Fields, name: 'usage' | 'usageMetadata'): boolean {
  const usage = owner[name]
  if (usage === undefined || usage === null) return false
  return isFields(usage) ? repairCounts(usage) : leaveOut(owner, name)
}

/** OpenAI's package demands both counts of a usage. */
function repairResponse(response: Fields): boolean {
  const changed = repairUsage(response, 'usage')
  const { usage } = response
  const isWhole = !isFields(usage) || ['input_tokens', 'output_tokens'].every((name) => typeof usage[name] === 'number')
  return isWhole ? changed : leaveOut(response, 'usage')
}

/** An impossible count, which is treated as missing: Anthropic's package demands a number. */
const impossible = -1

function repairAnthropic(owner: Fields, needed: string): boolean {
  const counts = isFields(owner.usage) ? owner.usage : {}
  const wasChanged = repairCounts(counts) || counts !== owner.usage
  if (typeof counts[needed] === 'number' && !wasChanged) return false
  counts[needed] ??= impossible
  owner.usage = counts
  return true
}

const countNames = /(?:_tokens|TokenCount)$/
const detailNames = /(?:_tokens_details|cache_creation)$/

function repairCounts(usage: Fields): boolean {
  let changed = false
  for (const [name, value] of Object.entries(usage)) {
    if (detailNames.test(name)) {
      if (isFields(value)) changed = repairCounts(value) || changed
      else if (value !== null) changed = leaveOut(usage, name)
    } else if (countNames.test(name) && typeof value !== 'number' && value !== null) {
      changed = leaveOut(usage, name)
      if (typeof value === 'string' && /^\d{1,9}$/.test(value)) usage[name] = Number(value)
    } else if (name === 'output_tokens' && value === null) changed = leaveOut(usage, name)
  }
  return changed
}

function leaveOut(usage: Fields, name: string): true {
  delete usage[name]
  return true
}

/** Of contents in parts, the texts are kept. */
function joinContent(delta: unknown): boolean {
  if (!isFields(delta) || !Array.isArray(delta.content)) return false
  const texts = listOf(delta.content).filter(({ type }) => type === 'text')
  delta.content = texts.map(({ text }) => (typeof text === 'string' ? text : '')).join('')
  return true
}

const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isFields) : [])

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

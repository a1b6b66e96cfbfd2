// Values that must never be seen: forty of them, every way of writing them down, and a look into everything that is
// stored.
import type { Classification, Redaction, SensitivityTag } from '@runwright/contract'
import type { Database } from '../../src/store/postgres/database.ts'

interface Canary {
  readonly value: string | number
  /** As a template and as a tag name it. */
  readonly template: string
  readonly path: string
}

const classes: readonly Classification[] = ['pii', 'financial', 'health', 'credential', 'proprietary']
const redactions: readonly Redaction[] = ['mask', 'drop']

const texts: readonly ((n: number) => string | number)[] = [
  (n) => `canary-plain-${n}-kestrel`,
  (n) => `canary "quoted" \\back\\slash ${n} osprey`,
  (n) => `canary\nover\r\n\tlines ${n} merlin`,
  (n) => `canary ünïcödé 漢字 😀 ${n} falke`,
  (n) => `canary 100% of %41 + a&b=c?d#${n}/e`,
  (n) => 918_273_645_000 + n,
  (n) => `cañary-${n}-${'0123456789 abcdefghij'.repeat(490)}`,
  (n) => `canary<b>'${n}'</b>{{input.x}}~!*()`,
]

const place = (n: number): { template: string; path: string } => {
  if (n % 4 === 0) return { template: `input.group.item_${n}`, path: `$.input.group.item_${n}` }
  if (n % 4 === 1) return { template: `input.list[${(n - 1) / 4}].value`, path: `$.input.list[${(n - 1) / 4}].value` }
  if (n % 4 === 2) return { template: `metadata.item_${n}`, path: `$.metadata.item_${n}` }
  return { template: `input.whole_${n}.inner.leaf`, path: `$.input.whole_${n}` }
}

/** The long one only once: it is ten kilobytes. */
export const canaries: readonly Canary[] = Array.from({ length: 40 }, (_, n) => {
  const make = texts[n % 8 === 6 && n > 6 ? 0 : n % 8] as (n: number) => string | number
  return { value: make(n), ...place(n) }
})

export const canaryTags: readonly SensitivityTag[] = canaries.map(({ path }, n) => ({
  path,
  classification: classes[n % 5] as Classification,
  redaction: redactions[n % 2] as Redaction,
}))

/** The input and metadata that hold them all, each in its place. */
export function canaryDocument(): { input: Record<string, unknown>; metadata: Record<string, unknown> } {
  const group: Record<string, unknown> = {}
  const list: unknown[] = []
  const metadata: Record<string, unknown> = {}
  const input: Record<string, unknown> = { group, list, short: 'zq9', yes: true }
  for (const [n, { value }] of canaries.entries()) {
    if (n % 4 === 0) group[`item_${n}`] = value
    else if (n % 4 === 1) list.push({ value, other: n })
    else if (n % 4 === 2) metadata[`item_${n}`] = value
    else input[`whole_${n}`] = { inner: { leaf: value }, n }
  }
  return { input, metadata }
}

const lowerHex = (text: string) => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())
const asciiJson = (text: string) =>
  JSON.stringify(text)
    .slice(1, -1)
    .replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** For tools that repeat a value in every way there is. */
export function writings(value: string | number): string[] {
  const text = String(value)
  const bytes = [0, 1, 2].map((before) => Buffer.from(`${'xy'.slice(0, before)}${text}~`))
  return [
    text,
    JSON.stringify(text),
    JSON.stringify(JSON.stringify({ text })),
    asciiJson(text),
    encodeURIComponent(text),
    lowerHex(encodeURIComponent(text)),
    new URLSearchParams({ text }).toString(),
    lowerHex(new URLSearchParams({ text }).toString()),
    ...bytes.map((buffer) => buffer.toString('base64')),
    ...bytes.map((buffer) => buffer.toString('base64url')),
    Buffer.from(text).toString('base64').replaceAll('=', ''),
  ]
}

/** Texts that would give a canary away: its writings without what stands around it, and its bytes. */
function traces(value: string | number): string[] {
  const text = String(value)
  const aligned = [0, 1, 2].flatMap((before) => {
    const whole = Buffer.from(`${'xy'.slice(0, before)}${text}`).toString('base64')
    const own = whole.slice(before === 0 ? 0 : 4, -4)
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')]
  })
  const escaped = JSON.stringify(text).slice(1, -1)
  const form = new URLSearchParams([['', text]]).toString().slice(1)
  return [
    text,
    escaped,
    JSON.stringify(escaped).slice(1, -1),
    asciiJson(text),
    encodeURIComponent(text),
    lowerHex(encodeURIComponent(text)),
    form,
    lowerHex(form),
    Buffer.from(text).toString('hex'),
    ...aligned,
    // A piece of a long one is as bad.
    ...(text.length > 1_000 ? [text.slice(500, 560), text.slice(-60)] : []),
  ]
}

const allTraces = canaries.flatMap(({ value }, n) => traces(value).map((trace): [string, number] => [trace, n]))

/** Which canaries a text shows, and a little of what stands there. */
export function findCanaries(name: string, text: string): string[] {
  return allTraces.flatMap(([trace, n]) => findTrace(trace, text).map((place) => `${name}: canary ${n} ${place}`))
}

/** Which of these values a text shows in any form; by their names. */
export function findSecrets(values: Readonly<Record<string, string>>, name: string, text: string): string[] {
  return Object.entries(values).flatMap(([secret, value]) => {
    const [found] = traces(value).flatMap((trace) => findTrace(trace, text))
    return found === undefined ? [] : [`${name}: ${secret} ${found}`]
  })
}

function findTrace(trace: string, text: string): string[] {
  const at = trace === '' ? -1 : text.indexOf(trace)
  return at < 0 ? [] : [`at ${at}: ${text.slice(Math.max(0, at - 80), at + 60)}`]
}

/** Every cell of every table as text, bytes also as what they may spell; but for what is sealed. */
export async function dumpTables(database: Database): Promise<[name: string, text: string][]> {
  const columns = await database.query<{ table_name: string; column_name: string; data_type: string }>({
    text: `
select table_name, column_name, data_type
from information_schema.columns
where table_schema = 'public' and (table_name, column_name) <> ('run_inputs', 'sealed')`,
  })
  const cells: [string, string][] = []
  for (const { table_name: table, column_name: column, data_type: type } of columns) {
    const rows = await database.query<{ cell: string | null }>({
      text: `select "${column}"::text as cell from "${table}"`,
    })
    for (const { cell } of rows) {
      if (cell === null) continue
      const texts = type === 'bytea' ? [cell, Buffer.from(cell.slice(2), 'hex').toString('latin1')] : [cell]
      if (type === 'json' || type === 'jsonb') texts.push(leavesOf(JSON.parse(cell)).join('\n'))
      for (const text of texts) cells.push([`${table}.${column}`, text])
    }
  }
  return cells
}

function leavesOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [String(value)]
  return Object.entries(value).flatMap(([key, member]) => [key, ...leavesOf(member)])
}

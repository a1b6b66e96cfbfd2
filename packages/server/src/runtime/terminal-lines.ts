// What a person at the terminal of the service reads of its log: the turns of runs in words. Undefined for any other
// line, which is shown with all its fields.

interface RunLine {
  readonly time: string
  readonly level: string
  readonly msg: string
  readonly run_id?: string
  readonly reason?: unknown
  readonly input_kind?: string
  readonly url?: string
  readonly age_ms?: number
}

export function runLineInWords(line: string): string | undefined {
  if (!line.includes('"run_id":')) return undefined
  const fields = JSON.parse(line) as RunLine
  const words = sayings[fields.msg]?.(fields)
  return words && `[${timeOfDay(fields.time)}] ${fields.level.toUpperCase()}: ${fields.run_id} ${words}\n`
}

const timeOfDay = (time: string): string => new Date(time).toTimeString().slice(0, 8)

const sayings: Readonly<Record<string, (line: RunLine) => string>> = {
  'run claimed': ({ reason }) => (reason === 'queued' ? 'starts' : 'goes on'),
  'run recovered': () => 'goes on after a stall',
  'run released': ({ reason }) =>
    reason === 'parked' ? 'is parked until later' : reason === 'lost' ? 'goes on elsewhere' : 'is handed over',
  'run awaits input': ({ input_kind: kind, reason, ...line }) =>
    `waits for ${kind === 'approval' ? 'approval' : kind ? `input (${kind})` : `input (${reason})`}${linkOf(line)}`,
  'signal applied': ({ reason }) => `was answered: ${reason}`,
  'run stalled': ({ reason }) => `stalled: ${reason}`,
  'run succeeded': (line) => `succeeded after ${ageOf(line)}`,
  'run failed': ({ reason, ...line }) => `failed after ${ageOf(line)}: ${reason}${linkOf(line)}`,
  'run cancelled': ({ reason }) => `was cancelled: ${reason}`,
  'run retried': () => 'is retried',
  'run resumed': () => 'is resumed',
}

const linkOf = ({ url }: Pick<RunLine, 'url'>): string => (url === undefined ? '' : `: ${url}`)
const ageOf = ({ age_ms: ms = 0 }: Pick<RunLine, 'age_ms'>): string => `${(ms / 1000).toFixed(1)} s`

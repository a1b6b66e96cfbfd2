// The logger of the process: JSON lines on stdout, or readable text if stdout is a terminal.
//
// Values under sensitive names are redacted at any depth. Pino's `redact` handles only the first level, which is the
// only way to reach the fields of child loggers: its wildcards made a line ten times as expensive. `scrub` removes
// sensitive values under any name, from the text of every field and error.
import { createRequire } from 'node:module'
import type { DestinationStream, Logger } from 'pino'
import { pino } from 'pino'
import { runLineInWords } from './terminal-lines.ts'

export type { Logger } from 'pino'

export interface LoggerOptions {
  readonly level: string
  /** Default: stdout. */
  readonly stream?: DestinationStream
  /** Readable text instead of JSON. Default: whether stdout is a terminal. */
  readonly pretty?: boolean
  /** Removes sensitive values from a text. */
  readonly scrub?: Scrub
}

type Scrub = (text: string) => string

type Fields = Record<string, unknown>

const censor = '[redacted]'
const firstLevelNames = ['authorization', 'cookie', 'password', 'secret']
const sensitiveName =
  /(authorization|cookie|password|passphrase|secret|pepper|encryption[_-]?key|api[_-]?key|database[_-]?url)s?$/i
// Fields that the service itself fills, in every request line: they hold no client data, so scrubbing would be wasted.
const ownFields = new Set([
  ...['request_id', 'method', 'route', 'customer_id', 'key', 'run_id', 'trace_id', 'job'],
  'worker',
])
// Deep enough for anything worth logging, and a limit for circular objects.
const deepestLevel = 8

export function createLogger(options: LoggerOptions): Logger {
  const { scrub = (text) => text } = options
  return pino(
    {
      level: options.level,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: firstLevelNames, censor },
      formatters: { level: (label) => ({ level: label }), log: (fields) => redactFields(fields, 1, scrub) },
      serializers: { err: (error) => redactedError(error, scrub) },
      hooks: {
        logMethod(args, method) {
          const scrubbed = args.map((arg: unknown) => (typeof arg === 'string' ? scrub(arg) : arg))
          method.apply(this, scrubbed as typeof args)
        },
      },
    },
    chooseDestination(options),
  )
}

/** A person reads it: a line for each request would hide what matters. */
export const isForPeople = (): boolean => process.stdout.isTTY === true

function chooseDestination({ stream, pretty = stream === undefined && isForPeople() }: LoggerOptions) {
  if (pretty) return readable(stream ?? process.stdout)
  // Asynchronous: a slow reader of stdout must not block the event loop. Pino flushes the rest at exit.
  return stream ?? pino.destination({ dest: 1, sync: false })
}

// Loaded on demand, so that it does not slow down the start of a service that logs JSON.
function readable(stream: DestinationStream): DestinationStream {
  const { prettyFactory }: typeof import('pino-pretty') = createRequire(import.meta.url)('pino-pretty')
  const format = prettyFactory({ ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss.l', singleLine: true })
  return { write: (line) => stream.write(runLineInWords(line) ?? format(line)) }
}

function redactedError(error: unknown, scrub: Scrub): unknown {
  return error instanceof Error ? redactFields({ ...pino.stdSerializers.err(error) }, 2, scrub) : error
}

function redactFields(fields: Fields, level: number, scrub: Scrub): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      if (level === 1 && ownFields.has(name)) return [name, value]
      return [name, sensitiveName.test(name) ? censor : redact(value, level, scrub)]
    }),
  )
}

function redact(value: unknown, level: number, scrub: Scrub): unknown {
  if (typeof value === 'string') return scrub(value)
  if (!Array.isArray(value) && !isPlainObject(value)) return value
  if (level === deepestLevel) return '[nested too deeply]'
  return Array.isArray(value)
    ? value.map((item) => redact(item, level + 1, scrub))
    : redactFields(value, level + 1, scrub)
}

// Class instances are left to their serializers and toJSON: a request or a socket refers to half of the process.
function isPlainObject(value: unknown): value is Fields {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

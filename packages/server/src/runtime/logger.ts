// One logger for the process: JSON lines on stdout, readable text when stdout is a terminal.
// Values under telling names never get out, however deep in a logged object they stand. Pino's own `redact` does that only for
// the first level here, which is all that reaches the fields of child loggers: its wildcards made a line ten times as dear.
// Values that must not get out under any name are for `scrub` to find, in the text of every field and every error.
import { createRequire } from 'node:module'
import type { DestinationStream, Logger } from 'pino'
import { pino } from 'pino'

export type { Logger } from 'pino'

export interface LoggerOptions {
  readonly level: string
  /** Where the lines go; stdout when left out. */
  readonly stream?: DestinationStream
  /** Readable text instead of JSON; when left out, if stdout is a terminal. */
  readonly pretty?: boolean
  /** Takes out of a text what nobody may read. */
  readonly scrub?: Scrub
}

type Scrub = (text: string) => string

type Fields = Record<string, unknown>

const censor = '[redacted]'
const firstLevelNames = ['authorization', 'cookie', 'password', 'secret']
const tellingName =
  /(authorization|cookie|password|passphrase|secret|pepper|encryption[_-]?key|api[_-]?key|database[_-]?url)s?$/i
// Our own words, in every line of a request: they hold nothing from outside, and to search them would cost the most.
const ownFields = new Set(['request_id', 'method', 'route', 'customer', 'key', 'run', 'job'])
// Deep enough for anything worth logging, and an end for objects that contain themselves.
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

function chooseDestination({ stream, pretty = stream === undefined && process.stdout.isTTY }: LoggerOptions) {
  if (pretty) return readable(stream ?? process.stdout)
  // Not synchronous: a slow reader of our stdout must not hold up the event loop. What is left is written at exit.
  return stream ?? pino.destination({ dest: 1, sync: false })
}

// Loaded here and not at the top: a service that writes JSON should not pay for it at every start.
function readable(stream: DestinationStream): DestinationStream {
  const { prettyFactory }: typeof import('pino-pretty') = createRequire(import.meta.url)('pino-pretty')
  const format = prettyFactory({ ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss.l', singleLine: true })
  return { write: (line) => stream.write(format(line)) }
}

function redactedError(error: unknown, scrub: Scrub): unknown {
  return error instanceof Error ? redactFields({ ...pino.stdSerializers.err(error) }, 2, scrub) : error
}

function redactFields(fields: Fields, level: number, scrub: Scrub): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      if (level === 1 && ownFields.has(name)) return [name, value]
      return [name, tellingName.test(name) ? censor : redact(value, level, scrub)]
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

// Class instances are left to their serializers and toJSON: walking a request or a socket would drag in half the process.
function isPlainObject(value: unknown): value is Fields {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

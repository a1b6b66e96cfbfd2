// How long a provider asks to wait, from its response. `retry-after-ms` and `Retry-After` say it directly.
// Otherwise the reset time of a rate limit counts, unless the headers say that some of that limit is left.

const longestMs = 3_600_000

export function readRetryAfter(given: unknown, now: number = Date.now()): number | undefined {
  const headers = lowerCaseNames(given)
  const asked = [Number(headers.get('retry-after-ms') ?? Number.NaN), readSpan(headers.get('retry-after'), now)]
  return longest(asked) ?? longest([...headers].map(([name, value]) => readReset(headers, name, value, now)))
}

/** Google's answer has it in the body, as `"retryDelay": "37.5s"`. */
export function readRetryDelay(body: unknown): number | undefined {
  const delay = typeof body === 'string' ? /"retryDelay": ?"([\w.]{1,20})"/.exec(body)?.[1] : undefined
  return longest([readSpan(delay, Date.now())])
}

const lowerCaseNames = (headers: unknown): Map<string, string> =>
  new Map(
    Object.entries(headers ?? {}).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name.toLowerCase(), value.trim()]] : [],
    ),
  )

function longest(spans: readonly number[]): number | undefined {
  const valid = spans.filter((ms) => Number.isFinite(ms) && ms > 0)
  return valid.length === 0 ? undefined : Math.min(longestMs, Math.max(...valid))
}

const limitName = /^(?:x|anthropic)-ratelimit-/

function readReset(headers: ReadonlyMap<string, string>, name: string, value: string, now: number): number {
  if (!limitName.test(name) || !name.includes('-reset')) return Number.NaN
  const left = headers.get(name.replace('-reset', '-remaining'))
  return left === undefined || Number(left) === 0 ? readSpan(value, now) : Number.NaN
}

const spans = /^(?:\d+(?:\.\d+)?(?:ms|[smh]))+$/
const spanPart = /([\d.]{1,20})(ms|[smh])/g
const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/** Parses `6m0s`, seconds from now, seconds since 1970, or a date. Returns milliseconds from now. */
function readSpan(value: string | undefined, now: number): number {
  if (value === undefined || value === '') return Number.NaN
  if (spans.test(value)) {
    const parts = [...value.matchAll(spanPart)]
    return parts.reduce((ms, [, number, unit = 's']) => ms + Number(number) * (unitMs[unit] ?? 0), 0)
  }
  if (!/^\d+(\.\d+)?$/.test(value)) return Date.parse(value) - now
  const seconds = Number(value)
  return seconds > 1_000_000_000 ? seconds * 1000 - now : seconds * 1000
}

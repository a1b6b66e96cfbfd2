// Whether a caller prefers CSV to JSON, by its Accept header (RFC 9110).

/** CSV must be listed explicitly. With equal weights, CSV takes precedence over a wildcard, but not over JSON. */
export function prefersCsv(accept: string | undefined): boolean {
  const weights = new Map((accept ?? '').toLowerCase().split(',').map(weigh))
  const csv = weights.get('text/csv') ?? 0
  const named = weights.get('application/json')
  const json = named ?? weights.get('application/*') ?? weights.get('*/*') ?? 0
  return csv > 0 && (named === undefined ? csv >= json : csv > json)
}

function weigh(entry: string): [type: string, weight: number] {
  const [type = '', ...parameters] = entry.split(';').map((part) => part.trim())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  return [type, weight === undefined ? 1 : Number(weight) || 0]
}

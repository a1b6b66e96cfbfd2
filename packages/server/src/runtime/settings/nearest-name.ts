// Finds the setting that a mistyped name most likely refers to.

const prefix = 'RUNWRIGHT_'

/** Undefined if no known name is close enough to suggest. */
export function findNearestName(mistyped: string, known: readonly string[]): string | undefined {
  const typed = withoutPrefix(mistyped)
  const ranked = known
    .map((name) => ({ name, distance: distanceBetween(typed, withoutPrefix(name)) }))
    .sort((a, b) => a.distance - b.distance)
  const nearest = ranked[0]
  if (nearest !== undefined && nearest.distance <= Math.max(2, Math.floor(typed.length / 3))) return nearest.name
  return known.find((name) => withoutPrefix(name).startsWith(`${typed}_`))
}

// With the prefix, `RUNWRIGHT_DATABASE_URL` would be ten letters away from `DATABASE_URL`.
function withoutPrefix(name: string): string {
  return name.startsWith(prefix) ? name.slice(prefix.length) : name
}

/** The Damerau–Levenshtein distance. */
function distanceBetween(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1]
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      current[column] = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (same ? 0 : 1),
        swapped ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    beforeLast = last
    last = current
  }
  return at(last, b.length)
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY
}

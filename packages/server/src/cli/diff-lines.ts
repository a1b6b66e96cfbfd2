// Shows where two texts differ, as a unified diff does: the lines that differ, with a few lines around them.

const around = 2

/** The texts have one block that differs: from the first different line to the last. */
export function diffLines(before: string, now: string): string {
  const [a, b] = [before.split('\n'), now.split('\n')]
  const start = countSame(a, b)
  const end = countSame(a.slice(start).reverse(), b.slice(start).reverse())
  const marked = (lines: readonly string[], mark: string) => lines.map((line) => `${mark}${line}`)
  return [
    `@@ line ${start + 1} @@`,
    ...marked(a.slice(Math.max(0, start - around), start), ' '),
    ...marked(a.slice(start, a.length - end), '-'),
    ...marked(b.slice(start, b.length - end), '+'),
    ...marked(a.slice(a.length - end, a.length - end + around), ' '),
  ].join('\n')
}

function countSame(a: readonly string[], b: readonly string[]): number {
  let count = 0
  while (count < a.length && count < b.length && a[count] === b[count]) count += 1
  return count
}

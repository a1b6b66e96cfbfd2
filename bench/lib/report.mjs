// Medians over interleaved rounds, printed as a Markdown table and kept in bench/results.md.
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'

const file = new URL('../results.md', import.meta.url)

export const median = (values) => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)]
}

export const percentile = (values, share) => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}

export const spread = (values, digits = 0) =>
  `${median(values).toFixed(digits)} [${Math.min(...values).toFixed(digits)}–${Math.max(...values).toFixed(digits)}]`

/** Prints a table and puts it into its place in bench/results.md. A stock server has a place of its own. */
export function report(benchmark, { title, columns, rows, notes = [], command: ownCommand = benchmark }) {
  const line = (cells) => `| ${cells.join(' | ')} |`
  const isStock = process.env.BENCH_DATABASE_URL !== undefined
  const name = isStock ? `${benchmark}-stock` : benchmark
  const command = `npm run bench -- ${[ownCommand, ...process.argv.slice(3)].join(' ')}`
  const date = new Date().toISOString().slice(0, 10)
  const machine = `${cpus().length} cores, Node ${process.versions.node}, ${date}; \`${isStock ? 'BENCH_DATABASE_URL=… ' : ''}${command}\``
  const text = [
    `## ${title}${isStock ? ', on a stock server' : ''}`,
    '',
    machine,
    '',
    line(columns),
    line(columns.map(() => '---')),
    ...rows.map(line),
    ...(notes.length > 0 ? ['', ...notes.map((note) => `- ${note}`)] : []),
  ].join('\n')
  console.log(`\n${text}\n`)
  const begin = `<!-- ${name}:begin -->`
  const end = `<!-- ${name}:end -->`
  const before = readFileSync(file, 'utf8')
  const start = before.indexOf(begin)
  const section = `${begin}\n${text}\n${end}`
  writeFileSync(
    file,
    start < 0
      ? `${before.trimEnd()}\n\n${section}\n`
      : before.slice(0, start) + section + before.slice(before.indexOf(end) + end.length),
  )
}

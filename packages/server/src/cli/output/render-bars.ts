// A small bar chart of text: one line per value.

export interface Bar {
  readonly label: string
  readonly value: number
}

const width = 40
const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

export function renderBars(bars: readonly Bar[]): string {
  const largest = Math.max(1, ...bars.map(({ value }) => value))
  const labelWidth = Math.max(...bars.map(({ label }) => label.length))
  return bars
    .map(({ label, value }) => `${label.padEnd(labelWidth)}  ${bar(value / largest)} ${value.toLocaleString('en')}`)
    .join('\n')
}

function bar(share: number): string {
  const units = Math.round(share * width * 8)
  return `${'█'.repeat(Math.floor(units / 8))}${eighths[units % 8]}`
}

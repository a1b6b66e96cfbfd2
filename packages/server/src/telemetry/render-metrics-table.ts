// Renders the metrics as Markdown, for docs/metrics.md.
import { allMetrics } from './metric-table.ts'

export function renderMetricsTable(): string {
  const rows = allMetrics.map(({ name, type, labels, help }) => {
    const shown = labels.map((label) => `\`${label}\``).join(', ')
    return `| \`${name}\` | ${type} | ${shown} | ${help} |`
  })
  return ['| name | type | labels | meaning |', '|---|---|---|---|', ...rows].join('\n')
}

// The settings as Markdown. The README holds the result between `<!-- settings:begin -->` and `<!-- settings:end -->`.
import type { Setting } from './setting-table.ts'
import { allSettings } from './setting-table.ts'

export function renderSettingsTable(): string {
  const rows = allSettings.map((row) => `| \`${row.name}\` | ${defaultOf(row)} | ${row.meaning} |`)
  return ['| name | default | meaning |', '|---|---|---|', ...rows, '', emptyValueNote()].join('\n')
}

function defaultOf({ shownDefault, default: value }: Setting<unknown, unknown>): string {
  if (shownDefault !== undefined) return shownDefault
  return value === undefined ? 'unset' : `\`${value}\``
}

function emptyValueNote(): string {
  const names = allSettings.filter(({ emptyIsUnset }) => emptyIsUnset).map(({ name }) => `\`${name}\``)
  return `An empty value counts as unset for ${names.slice(0, -1).join(', ')} and ${names.at(-1)}; for any other setting it is an error.`
}

// Renders the settings as Markdown, for the README.
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
  const lines = names.flatMap((_, index) => (index % 3 === 0 ? [names.slice(index, index + 3).join(', ')] : []))
  return `An empty value is an error, except for these settings, where it means unset:\n${lines.join(',\n')}.`
}

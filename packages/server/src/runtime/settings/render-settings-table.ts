// Renders the settings as Markdown, for docs/configuration.md.
import type { Setting } from './setting.ts'
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
  return `An empty value is an error, except for these settings, where it means unset:\n${filled(names).join(',\n')}.`
}

const lineLength = 119

/** The names, separated by commas, on as few lines as possible. */
function filled(names: readonly string[]): string[] {
  const lines: string[] = []
  for (const name of names) {
    const longer = `${lines.at(-1)}, ${name}`
    if (lines.length > 0 && longer.length < lineLength) lines[lines.length - 1] = longer
    else lines.push(name)
  }
  return lines
}

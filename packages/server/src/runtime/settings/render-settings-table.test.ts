import { expect, test } from 'vitest'
import { renderSettingsTable } from './render-settings-table.ts'
import { allSettings } from './setting-table.ts'

const lines = renderSettingsTable().split('\n')

test('every setting has one row', () => {
  const names = lines.filter((line) => line.startsWith('| `')).map((line) => line.split('`')[1])
  expect(names).toEqual(allSettings.map(({ name }) => name))
  expect(new Set(names).size).toBe(names.length)
})

test('a row shows name, default and meaning', () => {
  expect(lines).toContain('| `RUNWRIGHT_PORT` | `8080` | The port to listen on; 0 selects a free port. |')
  expect(lines).toContain('| `RUNWRIGHT_MODEL_PLANNER` | as `RUNWRIGHT_MODEL` | The model of the planner. |')
  expect(lines).toContain('| `RUNWRIGHT_TOOLS_DIR` | unset | A folder with your own tools. |')
})

test('every meaning ends with a period and cannot break the table', () => {
  for (const { meaning } of allSettings) expect(meaning).toMatch(/^[^|\n]+\.$/)
})

test('the rule for empty values follows it, in lines that fit', () => {
  const start = lines.indexOf('An empty value is an error, except for these settings, where it means unset:')
  const names = allSettings.filter(({ emptyIsUnset }) => emptyIsUnset).map(({ name }) => `\`${name}\``)
  expect(`${lines.slice(start + 1).join(' ')}`).toBe(`${names.join(', ')}.`)
  expect(names).toContain('`DATABASE_URL`')
  for (const line of lines.slice(start)) expect(line.length).toBeLessThanOrEqual(120)
})

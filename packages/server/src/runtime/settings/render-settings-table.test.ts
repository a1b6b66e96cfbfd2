import { expect, test } from 'vitest'
import { renderSettingsTable } from './render-settings-table.ts'
import { allSettings } from './setting-table.ts'

const lines = renderSettingsTable().split('\n')

test('every setting has one row', () => {
  const names = lines.filter((line) => line.startsWith('| `')).map((line) => line.split('`')[1])
  expect(names).toEqual(allSettings.map(({ name }) => name))
  expect(new Set(names).size).toBe(37)
})

test('a row shows name, default and meaning', () => {
  expect(lines).toContain('| `RUNWRIGHT_PORT` | `8080` | The port to listen on; 0 takes a free one. |')
  expect(lines).toContain('| `RUNWRIGHT_MODEL_PLANNER` | as `RUNWRIGHT_MODEL` | The model that plans. |')
  expect(lines).toContain('| `RUNWRIGHT_TOOLS_DIR` | unset | A folder with tools of your own. |')
})

test('every meaning is one sentence that cannot break the table', () => {
  for (const { meaning } of allSettings) expect(meaning).toMatch(/^[^|\n]+\.$/)
})

test('the rule for empty values is said below it', () => {
  expect(lines.at(-1)).toBe(
    'An empty value counts as unset for `DATABASE_URL`, `RUNWRIGHT_TOOLS_DIR`, `RUNWRIGHT_MCP_CONFIG`, `RUNWRIGHT_TOOL_POLICY`, `RUNWRIGHT_BOOTSTRAP_KEYS` and `RUNWRIGHT_ENCRYPTION_KEY_PREVIOUS`; for any other setting it is an error.',
  )
})

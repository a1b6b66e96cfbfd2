// Reads the file of prices. Each mistake in it is named in one sentence.
import { type PriceList, readPriceList } from '@runwright/contract'
import { parseConfigJson } from '../../domain/json/config-json.ts'
import { readJsonFile } from '../../runtime/files/json-file.ts'
import { pricesVariable } from '../../runtime/settings/client-variables.ts'
import { SettingsError } from '../../runtime/settings/settings-error.ts'

export function readPrices(path: string): PriceList {
  const read = readPriceList(readJsonFile(pricesVariable, path, parseConfigJson))
  if (read.ok) return read.prices
  throw new SettingsError(read.problems.map((problem) => `${pricesVariable}: in ${path}, ${problem}.`).join('\n'))
}

// Reads the file of prices. A mistake in it is named in one sentence.
import { parseConfigJson } from '../../domain/json/config-json.ts'
import { type PriceList, readPriceList } from '../../domain/prices/price-list.ts'
import { readJsonFile } from '../../runtime/files/json-file.ts'
import { pricesVariable } from '../../runtime/settings/client-variables.ts'
import { SettingsError } from '../../runtime/settings/settings-error.ts'

export function readPrices(path: string): PriceList {
  const read = readPriceList(readJsonFile(pricesVariable, path, parseConfigJson))
  if (read.ok) return read.prices
  throw new SettingsError(`${pricesVariable}: in ${path}, ${read.problem}.`)
}

// Reads a JSON file that a setting names. Errors never quote the file, because it may contain secrets.
import { readFileSync } from 'node:fs'
import { SettingsError } from './settings/settings-error.ts'

export function readJsonFile(setting: string, path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    const problem = error instanceof SyntaxError ? 'is not valid JSON' : `cannot be read: ${codeOf(error)}`
    throw new SettingsError(`${setting}: ${path} ${problem}.`)
  }
}

const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException).code)

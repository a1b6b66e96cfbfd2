// Reads a JSON file that a setting names. Errors never quote the file, because it may contain secrets.

import { SettingsError } from '../settings/settings-error.ts'
import { decodeFile, describeFileError, readNamedFile } from './bounded-file.ts'

const maxBytes = 1024 * 1024

/** Returns the value, or what is wrong with the text: a sentence without values. */
type ParseJson = (text: string) => { ok: true; value: unknown } | { ok: false; problem: string }

export function readJsonFile(setting: string, path: string, parse: ParseJson): unknown {
  const refuse = (problem: string): never => {
    throw new SettingsError(`${setting}: ${problem}`)
  }
  const parsed = parse(readText(path, refuse))
  return parsed.ok ? parsed.value : refuse(`in ${path}, ${parsed.problem}`)
}

function readText(path: string, refuse: (problem: string) => never): string {
  try {
    return decodeFile(readNamedFile(path, { maxBytes }))
  } catch (error) {
    return refuse(`${path} ${describeFileError(error)}.`)
  }
}

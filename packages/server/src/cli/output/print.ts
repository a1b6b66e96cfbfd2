// Prints the result of a command to stdout.
import type { Io } from './io.ts'
import { safeJson, safeOutput } from './safe-text.ts'
import { toJson } from './to-json.ts'

/** On a terminal, nothing dangerous is printed, wherever it comes from. A program gets the text unchanged. */
export const printText = ({ stdout }: Io, text: string): void =>
  void stdout.write(`${stdout.isTTY ? safeOutput(text) : text}\n`)

/** One document. On a terminal, dangerous characters are escaped; a program gets the JSON unchanged. */
export const printJson = (io: Io, value: object): void => printText(io, forTerminal(io, toJson(value)))

/** One document per line. */
export const printJsonLine = (io: Io, value: object): void => printText(io, forTerminal(io, JSON.stringify(value)))

const forTerminal = ({ stdout }: Io, json: string): string => (stdout.isTTY ? safeJson(json) : json)

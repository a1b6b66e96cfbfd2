// Reads JSON for a request: from a file, or from stdin with "-".
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import type { Io } from '../output/io.ts'
import { UsageError } from '../output/refusal.ts'

export async function readJsonObject(io: Io, path: string, option: string): Promise<Record<string, unknown>> {
  const value = parse(await read(io, path, option), path, option)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  throw new UsageError(`${option}: ${nameOf(path)} must contain a JSON object.`)
}

export function parseJson(source: string, option: string): unknown {
  return parse(source, 'the value', option)
}

async function read(io: Io, path: string, option: string): Promise<string> {
  if (path === '-') return text(io.stdin)
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${option}: ${path} cannot be read (${error.code}).`)
  })
}

function parse(source: string, path: string, option: string): unknown {
  try {
    return JSON.parse(source)
  } catch (error) {
    throw new UsageError(`${option}: ${nameOf(path)} is not JSON: ${error instanceof Error ? error.message : error}`)
  }
}

const nameOf = (path: string): string => (path === '-' ? 'stdin' : path)

// Reads a file up to a limit: a device such as /dev/zero has no end.
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs'

interface ReadOptions {
  readonly maxBytes: number
}

interface FoundFileOptions extends ReadOptions {
  /** Flags in addition to those for reading. */
  readonly flags?: number
  /** Throws if the file must not be read. */
  readonly check?: (stats: Stats) => void
}

/** A file that the operator has named. It may be a pipe. Fails with EFBIG if it is too large. */
export function readNamedFile(path: string, { maxBytes }: ReadOptions): Buffer {
  return withFile(path, constants.O_RDONLY, (file) => readUpTo(file, maxBytes))
}

/**
 * A file that was found in a folder. Also fails with EINVAL for what is not a regular file: to open a pipe would wait
 * for a writer.
 */
export function readFoundFile(path: string, { maxBytes, flags = 0, check }: FoundFileOptions): Buffer {
  const { O_RDONLY, O_NONBLOCK = 0 } = constants
  return withFile(path, O_RDONLY | O_NONBLOCK | flags, (file) => {
    const stats = fstatSync(file)
    if (!stats.isFile()) throw fileError('EINVAL', 'is not a regular file')
    check?.(stats)
    return readUpTo(file, maxBytes)
  })
}

/** Fails with EILSEQ for bytes that are not UTF-8, which a lenient reader would silently replace. */
export function decodeFile(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw fileError('EILSEQ', 'is not UTF-8')
  }
}

/** Why a file was not read. Continues a sentence that begins with the file. */
export function describeFileError(error: unknown): string {
  const { code, problem } = error as { readonly code?: string; readonly problem?: string }
  return problem ?? `cannot be read: ${code}`
}

function withFile<Value>(path: string, flags: number, use: (file: number) => Value): Value {
  const file = openSync(path, flags)
  try {
    return use(file)
  } finally {
    closeSync(file)
  }
}

const chunkBytes = 64 * 1024

/** Reads until the end, whatever size the file claims: some files of /proc claim none. */
function readUpTo(file: number, maxBytes: number): Buffer {
  const chunks: Buffer[] = []
  for (let bytes = 0; ; ) {
    const chunk = Buffer.allocUnsafe(chunkBytes)
    const read = readSync(file, chunk)
    if (read === 0) return Buffer.concat(chunks)
    bytes += read
    if (bytes > maxBytes) throw fileError('EFBIG', `has more than ${maxBytes.toLocaleString('en')} bytes`)
    chunks.push(chunk.subarray(0, read))
  }
}

/** `problem` continues a sentence that begins with the file. */
export const fileError = (code: string, problem: string): Error => Object.assign(new Error(problem), { code, problem })

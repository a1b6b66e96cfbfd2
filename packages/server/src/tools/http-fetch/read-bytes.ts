// Reads a body that may be of any size, or far larger than it looks, and keeps no more of it than is allowed.
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, inflateRaw, type ZlibOptions } from 'node:zlib'
import { showName } from '../../domain/text.ts'
import { FetchProblem } from './fetch-problem.ts'

export const maxAnswerBytes = 1024 * 1024
export const acceptedEncodings = 'gzip, deflate, br'

/** The bytes after decompression. */
export async function readBytes(body: Readable, { encoding }: { readonly encoding: string }): Promise<Buffer> {
  const sent = await collect(body)
  return sent.length === 0 ? sent : decompress(sent, encoding.trim().toLowerCase())
}

const tooLarge = () => new FetchProblem(`The answer is larger than ${maxAnswerBytes} bytes.`)

async function collect(body: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxAnswerBytes) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

type Decompress = (bytes: Buffer, options: ZlibOptions) => Promise<Buffer>

const fromGzip: Decompress = promisify(gunzip)
const fromZlib: Decompress = promisify(inflate)
const fromDeflate: Decompress = promisify(inflateRaw)
const fromBrotli: Decompress = promisify(brotliDecompress)

const decompressors: ReadonlyMap<string, Decompress> = new Map([
  ['', async (bytes) => bytes],
  ['identity', async (bytes) => bytes],
  ['gzip', fromGzip],
  ['x-gzip', fromGzip],
  ['br', fromBrotli],
  // Servers have never agreed whether `deflate` has the header of zlib.
  ['deflate', (bytes, options) => (hasZlibHeader(bytes) ? fromZlib(bytes, options) : fromDeflate(bytes, options))],
])

const hasZlibHeader = (bytes: Buffer): boolean => ((bytes[0] ?? 0) & 0x0f) === 8

/** Counts while it inflates: a bomb ends at the limit, with no more memory than that. */
async function decompress(bytes: Buffer, encoding: string): Promise<Buffer> {
  const method = decompressors.get(encoding)
  if (method === undefined)
    throw new FetchProblem(`The answer is encoded as ${showName(encoding)}, which cannot be read.`)
  try {
    return await method(bytes, { maxOutputLength: maxAnswerBytes })
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge()
    throw new FetchProblem(`The answer is not the ${encoding} that it says it is.`)
  }
}

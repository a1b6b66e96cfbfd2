// Reads and decompresses a response body of any size, but no more than the limit.
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, inflateRaw, type ZlibOptions } from 'node:zlib'
import { showName } from '@runwright/contract'
import { FetchError } from './fetch-error.ts'

export const maxResponseBytes = 1024 * 1024
export const acceptedEncodings = 'gzip, deflate, br'

/** Resolves with the decompressed bytes. */
export async function readBytes(body: Readable, { encoding, maxBytes = maxResponseBytes }: Encoded): Promise<Buffer> {
  const sent = await collect(body, maxBytes)
  return sent.length === 0 ? sent : decompress(sent, { encoding: encoding.trim().toLowerCase(), maxBytes })
}

interface Encoded {
  readonly encoding: string
  /** Of the body as sent, and again decompressed. */
  readonly maxBytes?: number | undefined
}

const tooLarge = (maxBytes: number) => new FetchError(`The response is larger than ${maxBytes} bytes.`)

async function collect(body: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) throw tooLarge(maxBytes)
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
  // Some servers send `deflate` with a zlib header, others without.
  ['deflate', (bytes, options) => (hasZlibHeader(bytes) ? fromZlib(bytes, options) : fromDeflate(bytes, options))],
])

const hasZlibHeader = (bytes: Buffer): boolean => ((bytes[0] ?? 0) & 0x0f) === 8

/** Stops at the limit, so that a decompression bomb uses no more memory than that. */
async function decompress(
  bytes: Buffer,
  { encoding, maxBytes }: Encoded & { readonly maxBytes: number },
): Promise<Buffer> {
  const method = decompressors.get(encoding)
  if (method === undefined)
    throw new FetchError(`The response has the content encoding ${showName(encoding)}, which is not supported.`)
  try {
    return await method(bytes, { maxOutputLength: maxBytes })
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes)
    throw new FetchError(`The response is not valid ${encoding}, although its content-encoding header says so.`)
  }
}

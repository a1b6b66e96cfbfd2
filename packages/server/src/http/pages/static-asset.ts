// A file that does not change while the process runs: read on the first request, then cached with its ETag, plain and
// compressed.
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { chooseEncoding } from '../server/response/content-encoding.ts'

export interface Asset {
  readonly type: string
  readonly headers: Readonly<Record<string, string>>
  readonly read: () => Promise<Buffer>
}

interface Variant {
  readonly body: Buffer
  readonly etag: string
}

interface Variants {
  readonly plain: Variant
  readonly gzip: Variant
  readonly br: Variant
}

const [toGzip, toBrotli] = [promisify(gzip), promisify(brotliCompress)]
// For 345 kB of scripts, this level takes 76 ms for 4 % less than gzip. The highest takes 1.8 s for 13 % less.
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

const variant = (body: Buffer): Variant => ({
  body,
  etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
})

const prepare = async (asset: Asset): Promise<Variants> => {
  const body = await asset.read()
  const [small, smaller] = await Promise.all([toGzip(body), toBrotli(body, brotliOptions)])
  return { plain: variant(body), gzip: variant(small), br: variant(smaller) }
}

/** Concurrent requests share the work; a failure is not cached. */
const once = (work: () => Promise<Variants>) => {
  let kept: Promise<Variants> | undefined
  return () => {
    kept ??= work().catch((error: unknown) => {
      kept = undefined
      throw error
    })
    return kept
  }
}

const listOf = (header: string | string[] | undefined) =>
  String(header ?? '')
    .split(',')
    .map((part) => part.trim())

const isFresh = (request: FastifyRequest, etag: string) =>
  listOf(request.headers['if-none-match']).some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag)

const send = (request: FastifyRequest, reply: FastifyReply, variants: Variants) => {
  const encoding = chooseEncoding(request.headers['accept-encoding'])?.name
  const { body, etag } = variants[encoding ?? 'plain']
  reply.headers({ etag, vary: 'accept-encoding', 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' })
  if (isFresh(request, etag)) return reply.code(304).send()
  return encoding ? reply.header('content-encoding', encoding).send(body) : reply.send(body)
}

/** With `no-cache` and an ETag, a browser revalidates each time and gets a 304 if nothing changed. */
export const serveAsset = (app: FastifyInstance, path: string, asset: Asset): void => {
  const variants = once(() => prepare(asset))
  app.get(path, async (request, reply) => {
    const ready = await variants()
    return send(request, reply.type(asset.type).headers(asset.headers), ready)
  })
}

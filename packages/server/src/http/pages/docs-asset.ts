// A file that never changes while the process lives: read at the first request, then kept, plain and gzipped, with its ETag.
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

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
  readonly gzipped: Variant
}

const compress = promisify(gzip)

const variant = (body: Buffer): Variant => ({
  body,
  etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
})

const prepare = async (asset: Asset): Promise<Variants> => {
  const body = await asset.read()
  return { plain: variant(body), gzipped: variant(await compress(body)) }
}

/** Two requests at once wait for the same work; a failure is not kept. */
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

const acceptsGzip = (request: FastifyRequest) =>
  listOf(request.headers['accept-encoding']).some((part) => /^gzip\b/i.test(part) && !/;\s*q=0(\.0*)?$/i.test(part))

const isFresh = (request: FastifyRequest, etag: string) =>
  listOf(request.headers['if-none-match']).some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag)

const send = (request: FastifyRequest, reply: FastifyReply, variants: Variants) => {
  const isGzipped = acceptsGzip(request)
  const { body, etag } = isGzipped ? variants.gzipped : variants.plain
  reply.headers({ etag, vary: 'accept-encoding', 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' })
  if (isFresh(request, etag)) return reply.code(304).send()
  return isGzipped ? reply.header('content-encoding', 'gzip').send(body) : reply.send(body)
}

/** `no-cache` and an ETag: a browser asks each time and is told in a few bytes that nothing changed. */
export const serveAsset = (app: FastifyInstance, path: string, asset: Asset): void => {
  const variants = once(() => prepare(asset))
  app.get(path, async (request, reply) => {
    const ready = await variants()
    return send(request, reply.type(asset.type).headers(asset.headers), ready)
  })
}

// A file that does not change while the process runs: read on the first request, then cached with its ETag, plain and
// gzipped.
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

/** With `no-cache` and an ETag, a browser revalidates each time and gets a 304 if nothing changed. */
export const serveAsset = (app: FastifyInstance, path: string, asset: Asset): void => {
  const variants = once(() => prepare(asset))
  app.get(path, async (request, reply) => {
    const ready = await variants()
    return send(request, reply.type(asset.type).headers(asset.headers), ready)
  })
}

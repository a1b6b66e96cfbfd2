// The input and output of a route handler: plain values, independent of Fastify. `mount-routes.ts` connects them.
import type { IncomingMessage } from 'node:http'
import type { RouteName, routes } from '@runwright/contract'
import type { z } from 'zod'
import type { Principal } from '../../../domain/principal.ts'

type QueryOf<R extends RouteName> = (typeof routes)[R] extends { query: infer Q extends z.ZodType }
  ? z.infer<Q>
  : undefined

export interface Call<R extends RouteName> {
  readonly requestId: string
  readonly principal: Principal
  /** The decoded `{id}` of the path; empty if the path has none. */
  readonly id: string
  readonly query: QueryOf<R>
  /** The text of the body; undefined if there is none or the route ignores it. */
  readonly body: string | undefined
  /** The well-formed header of a route where it is optional. Undefined if it was not sent. */
  readonly idempotencyKey?: string | undefined
  readonly request: IncomingMessage
}

export interface Answer {
  readonly status?: number
  /**
   * An object to encode as JSON, or text to send unchanged: JSON, unless `headers` sets another content type. Text in
   * pieces is written as fast as the client reads.
   */
  readonly body: object | string | AsyncIterable<string>
  readonly headers?: Readonly<Record<string, string>>
}

export type Handler<R extends RouteName> = (call: Call<R>) => Promise<Answer>

/** Routes that require a key and return one body: all except the public ones and the streams. */
export type HandledRoute = Exclude<
  { [R in RouteName]: (typeof routes)[R]['scope'] extends null ? never : R }[RouteName],
  'streamEvents' | 'streamRuns' | 'streamCustomerEvents'
>

export type Handlers = { readonly [R in HandledRoute]: Handler<R> }

// What a route's handler gets and gives: plain values, no framework. `mount-routes.ts` puts them on the wire.
import type { IncomingMessage } from 'node:http'
import type { RouteName, routes } from '@runwright/contract'
import type { z } from 'zod'
import type { Principal } from '../../domain/principal.ts'

type QueryOf<R extends RouteName> = (typeof routes)[R] extends { query: infer Q extends z.ZodType }
  ? z.infer<Q>
  : undefined

export interface Call<R extends RouteName> {
  readonly requestId: string
  readonly principal: Principal
  /** The path's `{id}` as it was sent, decoded; empty where the path has none. */
  readonly id: string
  readonly query: QueryOf<R>
  /** The body's text; undefined when there was none, or the route ignores it. */
  readonly body: string | undefined
  readonly request: IncomingMessage
}

export interface Answer {
  readonly status?: number
  /** An object to be encoded, or text that is sent as it is: JSON, unless the headers name another content type. */
  readonly body: object | string
  readonly headers?: Readonly<Record<string, string>>
}

export type Handler<R extends RouteName> = (call: Call<R>) => Promise<Answer>

/** Routes that need a key and answer with one JSON body: all but the open ones and the event stream. */
export type HandledRoute = Exclude<
  { [R in RouteName]: (typeof routes)[R]['scope'] extends null ? never : R }[RouteName],
  'streamEvents'
>

export type Handlers = { readonly [R in HandledRoute]: Handler<R> }

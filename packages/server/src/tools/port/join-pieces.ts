// Joins the small pieces of a response. When its reader is full, undici puts back all that it has received behind the
// piece, and reads it again for the next one: an endless response in pieces of 1 KiB took seconds of CPU time.
import type { Dispatcher } from 'undici'

type Handler = Dispatcher.DispatchHandler
type Controller = Dispatcher.DispatchController

/** How many bytes are joined at most. */
const maxBytes = 64 * 1024

/** For `compose`. */
export const joinPieces: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
  dispatch(options, new JoiningHandler(handler))

class JoiningHandler implements Handler {
  readonly #handler: Handler
  #pieces: Buffer[] = []
  #bytes = 0

  constructor(handler: Handler) {
    this.#handler = handler
  }

  onRequestStart(...start: Parameters<NonNullable<Handler['onRequestStart']>>): void {
    this.#handler.onRequestStart?.(...start)
  }

  onResponseStart(...start: Parameters<NonNullable<Handler['onResponseStart']>>): void {
    this.#handler.onResponseStart?.(...start)
  }

  /** What arrives in the same turn of the event loop is one piece. */
  onResponseData(controller: Controller, piece: Buffer): void {
    if (this.#bytes === 0) setImmediate(() => this.#passOn(controller))
    this.#pieces.push(piece)
    this.#bytes += piece.length
    if (this.#bytes >= maxBytes) this.#passOn(controller)
  }

  onResponseEnd(...[controller, trailers]: Parameters<NonNullable<Handler['onResponseEnd']>>): void {
    this.#passOn(controller)
    this.#handler.onResponseEnd?.(controller, trailers)
  }

  onResponseError(...[controller, error]: Parameters<NonNullable<Handler['onResponseError']>>): void {
    this.#passOn(controller)
    this.#handler.onResponseError?.(controller, error)
  }

  #passOn(controller: Controller): void {
    if (this.#bytes === 0) return
    const joined = Buffer.concat(this.#pieces)
    this.#pieces = []
    this.#bytes = 0
    if (!controller.aborted) this.#handler.onResponseData?.(controller, joined)
  }
}

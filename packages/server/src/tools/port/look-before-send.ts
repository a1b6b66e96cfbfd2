// Looks right before a request is written to its connection. undici calls `onRequestStart` there, for every connection
// that it tries, and writes a request whose body is text or absent in the same step.
import type { Dispatcher } from 'undici'

type Handler = Dispatcher.DispatchHandler

/** For `compose`. `look` throws to keep the request from being sent. */
export const lookBeforeSend =
  (look: () => void): Dispatcher.DispatcherComposeInterceptor =>
  (dispatch) =>
  (options, handler) =>
    dispatch(options, new LookingHandler(handler, look))

class LookingHandler implements Handler {
  readonly #handler: Handler
  readonly #look: () => void

  constructor(handler: Handler, look: () => void) {
    this.#handler = handler
    this.#look = look
  }

  onRequestStart(...[controller, context]: Parameters<NonNullable<Handler['onRequestStart']>>): void {
    this.#handler.onRequestStart?.(controller, context)
    if (!controller.aborted) this.#look()
  }

  onResponseStart(...start: Parameters<NonNullable<Handler['onResponseStart']>>): void {
    this.#handler.onResponseStart?.(...start)
  }

  onResponseData(...data: Parameters<NonNullable<Handler['onResponseData']>>): void {
    this.#handler.onResponseData?.(...data)
  }

  onResponseEnd(...end: Parameters<NonNullable<Handler['onResponseEnd']>>): void {
    this.#handler.onResponseEnd?.(...end)
  }

  onResponseError(...error: Parameters<NonNullable<Handler['onResponseError']>>): void {
    this.#handler.onResponseError?.(...error)
  }
}

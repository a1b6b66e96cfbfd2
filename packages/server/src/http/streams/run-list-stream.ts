// One open stream of a list of runs: sends the page, then only what is different from what it has sent.
import type { ServerResponse } from 'node:http'
import { sseRunsChangedName, sseRunsPageName } from '@runwright/contract'
import type { Principal, TokenClaims } from '../../domain/principal.ts'
import type { PageContent } from './live-run-page.ts'
import type { OpenStream } from './open-streams.ts'
import { SseResponse, type StreamTimes } from './sse-response.ts'

interface StreamOrigin {
  readonly principal: Pick<Principal, 'keyId' | 'customerId' | 'sessionId' | 'token'>
  readonly requestId: string
}

export class RunListStream implements OpenStream {
  readonly keyId: string
  readonly customerId: string
  readonly sessionId: string | undefined
  readonly token: TokenClaims | undefined
  readonly #response: SseResponse
  #sent: PageContent | undefined
  /** The newest content, while the client does not read. */
  #waiting: PageContent | undefined
  #isOver = false

  constructor(response: ServerResponse, { principal, requestId }: StreamOrigin) {
    this.keyId = principal.keyId
    this.customerId = principal.customerId
    this.sessionId = principal.sessionId
    this.token = principal.token
    this.#response = new SseResponse(response, { requestId, onDrain: () => this.#showWaiting() })
  }

  show(content: PageContent): void {
    if (this.#isOver) return
    if (this.#response.isBlocked) {
      this.#waiting = content
      return
    }
    const message = this.#sent ? changeMessage(this.#sent, content) : pageMessage(content)
    this.#sent = content
    if (message !== undefined) this.#response.write(message)
  }

  fail(error: unknown): void {
    this.#isOver = true
    this.#response.fail(error)
  }

  /** It has no idle timeout: a list without changes is worth following too. */
  tick(times: StreamTimes, now: number): void {
    this.#response.tick(times, now)
  }

  #showWaiting(): void {
    const content = this.#waiting
    this.#waiting = undefined
    if (content) this.show(content)
  }
}

const messageOf = (event: string, data: string): string => `event: ${event}\ndata: ${data}\n\n`

const pageMessage = ({ runs, nextCursor }: PageContent): string =>
  messageOf(sseRunsPageName, `{"runs":[${[...runs.values()].join()}],"next_cursor":${JSON.stringify(nextCursor)}}`)

/** Undefined if nothing is different. */
function changeMessage(before: PageContent, now: PageContent): string | undefined {
  const put = [...now.runs].filter(([id, text]) => before.runs.get(id) !== text).map(([, text]) => text)
  const gone = [...before.runs.keys()].filter((id) => !now.runs.has(id))
  if (put.length === 0 && gone.length === 0 && before.nextCursor === now.nextCursor) return undefined
  const cursor = JSON.stringify(now.nextCursor)
  return messageOf(sseRunsChangedName, `{"put":[${put.join()}],"gone":${JSON.stringify(gone)},"next_cursor":${cursor}}`)
}

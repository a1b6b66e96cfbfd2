// Fetches a file for a run, with the same checks as `http_fetch`, over https only.
import { dial } from './dial.ts'
import type { ExchangeOptions, FetchedResponse, Network } from './exchange.ts'
import { FetchError } from './fetch-error.ts'
import { followRedirects, headerText } from './http-fetch.ts'
import { prepareRequest } from './outgoing-request.ts'
import { resolveName } from './resolve-name.ts'
import { maxUrlLength, showHost } from './target.ts'

export interface FetchedFile {
  /** The header as received. */
  readonly contentType: string | undefined
  readonly bytes: Buffer
  /** Where the file was found, after redirects. */
  readonly url: URL
}

type FetchOptions = Pick<ExchangeOptions, 'signal' | 'maxBytes'>

/** Throws `FetchError` or `ToolDenied` if there is no such file, or it must not be fetched. */
export type FetchFile = (url: string, options: FetchOptions) => Promise<FetchedFile>

/** Tests replace parts of the network. */
export function createFetchFile(overrides: Partial<Network> = {}): FetchFile {
  const network: Network = { resolve: resolveName, dial, ...overrides }
  return async (url, options) => {
    if (url.length > maxUrlLength || !URL.canParse(url)) throw new FetchError('The URL is not valid.')
    const request = prepareRequest({ url }, { idempotencyKey: '' })
    const response = await followRedirects(request, {
      ...options,
      network,
      beforeSend: () => undefined,
      onlyHttps: true,
    })
    return fileOf(response)
  }
}

function fileOf({ status, headers, bytes, url }: FetchedResponse): FetchedFile {
  if (status < 200 || status > 299) throw new FetchError(`${showHost(url)} answered with status ${status}.`)
  return { contentType: headerText(headers['content-type']), bytes, url }
}

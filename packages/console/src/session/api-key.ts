// The API key of this tab. It lives in sessionStorage alone: gone with the tab, never in a URL, never in a log.

const storageName = 'runwright.api-key'

/** Undefined where the browser forbids storage: then the key lasts until the page is left. */
const findStorage = (): Storage | undefined => {
  try {
    return window.sessionStorage
  } catch {
    return undefined
  }
}

export const findKey = (): string | undefined => findStorage()?.getItem(storageName) ?? undefined

export const keepKey = (key: string): void => findStorage()?.setItem(storageName, key)

export const forgetKey = (): void => findStorage()?.removeItem(storageName)

/** `<key_id>:<secret>` in characters that a browser can send in a header; a secret may hold further colons. */
export const isWellFormedKey = (text: string): boolean => /^[!-9;-~]+:[!-~]+$/.test(text)

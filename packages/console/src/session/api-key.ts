// The API key of this tab. It is stored only in sessionStorage, which ends with the tab, and never in a URL or a log.

const storageName = 'runwright.api-key'

/** Undefined if the browser forbids storage: then the key lasts until the page is closed. */
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

/** `<key_id>:<secret>` in characters that are valid in a header; a secret may contain colons. */
export const isWellFormedKey = (text: string): boolean => /^[!-9;-~]+:[!-~]+$/.test(text)

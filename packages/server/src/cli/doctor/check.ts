// One line of `runwright doctor`.

export interface Check {
  readonly name: string
  /** `note`: nothing is wrong, but there is something to know. */
  readonly status: 'ok' | 'problem' | 'note'
  readonly message: string
  /** What to do. */
  readonly advice?: string
}

export const ok = (name: string, message: string): Check => ({ name, status: 'ok', message })
export const note = (name: string, message: string, advice: string): Check => ({
  name,
  status: 'note',
  message,
  advice,
})
export const problem = (name: string, message: string, advice?: string): Check => ({
  name,
  status: 'problem',
  message,
  ...(advice !== undefined && { advice }),
})

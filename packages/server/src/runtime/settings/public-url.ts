// Where people reach the console, for links in messages and in the log.
import type { Settings } from './settings.ts'

/** Undefined if no setting says it: the port is chosen by the system. */
export function findPublicUrl({ publicUrl, port }: Settings['http']): string | undefined {
  return publicUrl ?? (port === 0 ? undefined : `http://127.0.0.1:${port}`)
}

export const runLink = (publicUrl: string, wireId: string): string => `${publicUrl}/console/#/runs/${wireId}`

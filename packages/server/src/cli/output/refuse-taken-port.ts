// Tries whether a process can listen on a port, before anything is made that a start would leave behind.
import { createServer } from 'node:net'

export interface Address {
  readonly host: string
  readonly port: number
}

/** Throws the error that a start would end with. */
export async function refuseTakenPort(address: Address): Promise<void> {
  const error = await tryToListen(address)
  if (error !== undefined) throw error
}

/** Returns the error, undefined if it works. */
export const tryToListen = ({ host, port }: Address): Promise<NodeJS.ErrnoException | undefined> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', resolve)
    server.listen(port, host, () => server.close(() => resolve(undefined)))
  })

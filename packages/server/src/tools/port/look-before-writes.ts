// Looks before each write of a stream that reaches the operating system. A look further up, before a request is put
// together, leaves some microseconds in which a process can be paused.
import type { Writable } from 'node:stream'

/** If `look` throws, nothing is written, and the stream fails with its error. */
export function lookBeforeWrites(stream: Writable, look: () => void): void {
  const guard =
    <Given extends unknown[]>(write: (...given: Given) => void) =>
    (...given: Given): void => {
      try {
        look()
      } catch (error) {
        const callback = given.at(-1) as (error: unknown) => void
        callback(error)
        return
      }
      write(...given)
    }
  const { _write: write, _writev: writeAll } = stream
  Object.assign(stream, {
    _write: guard(write.bind(stream)),
    ...(writeAll && { _writev: guard(writeAll.bind(stream)) }),
  })
}

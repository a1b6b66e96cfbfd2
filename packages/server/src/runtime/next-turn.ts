// Defers work to the end of the current turn of the event loop, so that the same work for many requests runs in a row.
// This uses the CPU caches better: without it, a create took a third more CPU, not counting the database.
let pending: Promise<void> | undefined

export function nextTurn(): Promise<void> {
  pending ??= new Promise((resolve) => {
    setImmediate(() => {
      pending = undefined
      resolve()
    })
  })
  return pending
}

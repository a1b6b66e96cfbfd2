// Preloaded into the commands that a guide runs on a terminal: their pipes count as one.
for (const stream of [process.stdin, process.stdout, process.stderr]) {
  Object.defineProperty(stream, 'isTTY', { value: true })
  Object.defineProperty(stream, 'columns', { value: 100 })
}

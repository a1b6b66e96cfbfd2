// Preloaded into the commands that a guide runs on a terminal: their pipes count as one. Not for npx, which would draw
// a spinner on it.
const isNpm = /\/(?:npm|npx)(?:-cli\.js)?$/.test(process.argv[1] ?? '')
for (const stream of isNpm ? [] : [process.stdin, process.stdout, process.stderr]) {
  Object.defineProperty(stream, 'isTTY', { value: true })
  Object.defineProperty(stream, 'columns', { value: 100 })
}

// @ts-check
// npm runs a script in a shell, and sends signals only to that shell. Many shells end at SIGTERM without passing it on:
// the program would go on, and no process would wait for it. At SIGINT, a shell such as dash waits for the program and
// tells it nothing, so that only a signal for the group, as that of a terminal, reaches the program.

/**
 * Sends the signal to this process when the shell has ended that npm started for it. Nothing tells a process that its
 * parent has ended, so it looks.
 * @param {NodeJS.Signals} signal
 * @param {() => boolean} [isStopping] it is no longer needed, because this process has got a signal itself
 */
export function stopWithShell(signal, isStopping = () => false) {
  if (process.env.npm_lifecycle_event === undefined) return
  const shell = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(watch)
    if (!isStopping()) process.kill(process.pid, signal)
  }, 500)
  watch.unref()
}

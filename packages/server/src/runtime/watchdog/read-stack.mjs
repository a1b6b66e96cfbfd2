// @ts-check
// Reads where the main thread is while it blocks its event loop: asks V8 to pause it, as a debugger does. The answer
// holds names of functions and files, no values.

/** @typedef {import('node:inspector').Debugger.PausedEventDataType} Paused */

/** On a busy machine the main thread needs a while to be interrupted. */
const answerMs = 5000
const maxFrames = 12

/** Empty if the main thread does not answer, as in a system call. @returns {Promise<string[]>} */
export async function readStack() {
  try {
    const { Session } = await import('node:inspector')
    const session = new Session()
    session.connectToMainThread()
    return await Promise.race([pausedStack(session), new Promise((resolve) => setTimeout(resolve, answerMs, []))])
  } catch {
    // Node can be built without the inspector.
    return []
  }
}

/**
 * @param {import('node:inspector').Session} session
 * @returns {Promise<string[]>}
 */
function pausedStack(session) {
  const urls = new Map()
  session.on('Debugger.scriptParsed', ({ params }) => urls.set(params.scriptId, params.url))
  return new Promise((resolve) => {
    session.on('Debugger.paused', ({ params }) => resolve(framesOf(params, urls)))
    session.post('Debugger.enable')
    session.post('Debugger.pause')
  })
}

/**
 * @param {Paused} paused
 * @param {Map<string, string>} urls
 */
const framesOf = ({ callFrames }, urls) =>
  callFrames.slice(0, maxFrames).map(({ functionName, location }) => {
    const { scriptId, lineNumber, columnNumber = 0 } = location
    const file = urls.get(scriptId) || 'unknown'
    return `${functionName || '(anonymous)'} ${file}:${lineNumber + 1}:${columnNumber + 1}`
  })

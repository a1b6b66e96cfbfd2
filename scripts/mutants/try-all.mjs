// @ts-check
// Tries mutants in batches. A batch ends with the same tests against the code as it is. A test that is red then has
// noticed nothing: a mutant may have damaged the process, or the machine is too busy.

/** @typedef {{ id: number, tests: string[] }} Trial */
/** @typedef {{ isNoticed: boolean, message: string }} Outcome */
/** @typedef {{ try: (trials: import('./run-mutants.mjs').Trial[]) => Promise<Map<string,
 * import('./run-mutants.mjs').Answer>> }} Runner */

const asItIs = 'as it is'

/**
 * @param {Runner} runner
 * @param {readonly Trial[]} batch
 * @param {(id: number, outcome: Outcome) => void} onOutcome
 * @returns {Promise<void>}
 */
export async function tryBatch(runner, batch, onOutcome) {
  const tests = [...new Set(batch.flatMap((trial) => trial.tests))]
  const trials = batch.map(({ id, tests }) => ({ name: String(id), id, tests }))
  const answers = await runner.try([...trials, { name: asItIs, tests }])
  const end = answers.get(asItIs)
  const unsound = new Set(end?.red.map((n) => tests[n]))
  /** @type {Trial[]} */
  const again = []
  for (const trial of batch) {
    const answer = answers.get(String(trial.id))
    const [first] = answer?.red ?? []
    if (!end || !answer || (first !== undefined && unsound.has(trial.tests[first]))) again.push(trial)
    else onOutcome(trial.id, { isNoticed: first !== undefined, message: first === undefined ? '' : answer.message })
  }
  const [only] = batch
  if (only && batch.length === 1 && again.length === 1) {
    onOutcome(only.id, end ? unclear(end.message) : { isNoticed: true, message: 'the process of the tests ended' })
  } else {
    for (const trial of again) await tryBatch(runner, [trial], onOutcome)
  }
}

/** @param {string} message @returns {Outcome} */
const unclear = (message) => ({ isNoticed: false, message: `unclear, red without it, too: ${message}` })

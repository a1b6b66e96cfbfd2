// Writes the turns of a run that has ended to a cassette: one file per run, complete or absent.
import { toWireId } from '../../runtime/ids.ts'
import { cassetteText, type RecordedTurn } from './cassette-file.ts'
import { agentOf, type FingerprintedRun, fingerprintOf } from './fingerprint.ts'
import { writeWhole } from './write-whole.ts'

export const cassetteEnding = '.ndjson'

export interface RecordedRun extends FingerprintedRun {
  /** A UUID. */
  readonly id: string
}

export interface Recorder {
  /** Replaces the cassette of an earlier attempt. A run without turns, such as one of the sandbox, leaves none. */
  record(run: RecordedRun, turns: AsyncIterable<RecordedTurn>): Promise<void>
}

/** Records to a folder, which is created if it does not exist. */
export function recorder(dir: string): Recorder {
  return {
    record: async (run, turns) => {
      const recorded: RecordedTurn[] = []
      for await (const turn of turns) recorded.push(turn)
      if (recorded.length === 0) return
      const header = { fingerprint: fingerprintOf(run), run_id: run.id, agent: agentOf(run.metadata) }
      await writeWhole(dir, `${toWireId('run', run.id)}${cassetteEnding}`, cassetteText(header, recorded))
    },
  }
}

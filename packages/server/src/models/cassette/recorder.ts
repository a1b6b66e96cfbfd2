// Writes the turns of a run that has ended to a cassette: one file per run, complete or absent.
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { toWireId } from '../../runtime/ids.ts'
import { cassetteText, type RecordedTurn } from './cassette-file.ts'
import { agentOf, type FingerprintedRun, fingerprintOf } from './fingerprint.ts'

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

/** Prompts and replies are private: only the owner may read the file. */
async function writeWhole(dir: string, name: string, text: string): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const unfinished = join(dir, `.${name}.unfinished`)
  try {
    await rm(unfinished, { force: true })
    await writeFile(unfinished, text, { mode: 0o600, flag: 'wx' })
    await rename(unfinished, join(dir, name))
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
}

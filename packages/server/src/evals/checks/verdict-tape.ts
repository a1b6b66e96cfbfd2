// The verdicts of `judged` checks in a folder of cassettes: a recording keeps them, a replay gives them again. A
// verdict belongs to what was judged, so a changed answer or rubric has none.
import { createHash } from 'node:crypto'
import { canonicalJson } from '../../domain/json/canonical-json.ts'
import { writeWhole } from '../../models/cassette/write-whole.ts'
import { readInFolder } from '../../runtime/files/folder-file.ts'
import { type JudgedAnswer, judgeAnswer } from './judge-answer.ts'

interface Folders {
  readonly recordDir?: string | undefined
  readonly replayDir?: string | undefined
}

/** A verdict is a sentence. */
const maxBytes = 1024 * 1024

type Judge = (judged: JudgedAnswer) => Promise<string | undefined>

export function tapedJudge({ recordDir, replayDir }: Folders): Judge {
  if (replayDir !== undefined) return (judged) => replay(replayDir, judged)
  if (recordDir === undefined) return judgeAnswer
  return async (judged) => {
    const problem = await judgeAnswer(judged)
    await writeWhole(recordDir, nameOf(judged), `${JSON.stringify({ problem: problem ?? null })}\n`)
    return problem
  }
}

async function replay(dir: string, judged: JudgedAnswer): Promise<string | undefined> {
  const name = nameOf(judged)
  try {
    const { problem } = JSON.parse((await readInFolder(dir, name, { maxBytes })).toString()) as {
      problem: string | null
    }
    return problem ?? undefined
  } catch {
    return `no verdict on this answer was recorded (${name}); record the case again`
  }
}

function nameOf({ model, rubric, input, content }: JudgedAnswer): string {
  const judged = canonicalJson([model.name, rubric, input ?? null, content])
  return `verdict-${createHash('sha256').update(judged).digest('hex').slice(0, 32)}.json`
}

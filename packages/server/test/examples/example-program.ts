// A program of examples/, run as a user runs it: `node examples/…`, with the address and the key in the environment.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Occurrences } from '../support/occurrences.ts'
import type { Service } from '../support/service.ts'

const root = join(import.meta.dirname, '../../../..')
export const exampleFile = (name: string): string => join(root, 'examples', name)

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export class ExampleProgram {
  readonly #stderr = new Occurrences<string>()
  readonly ended: Promise<Ended>

  constructor({ url, key }: Pick<Service, 'url' | 'key'>, file: string, ...args: string[]) {
    const env = { PATH: process.env.PATH ?? '', RUNWRIGHT_URL: url, RUNWRIGHT_API_KEY: key }
    const child = spawn(process.execPath, [exampleFile(file), ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    child.stderr.setEncoding('utf8').on('data', (text: string) => this.#stderr.add(text))
    const printed = child.stdout.setEncoding('utf8').toArray()
    this.ended = once(child, 'close').then(async ([code]) => ({
      code,
      stdout: (await printed).join(''),
      stderr: this.#stderr.all.join(''),
    }))
  }

  /** Resolves with the match once stderr has it. */
  says(pattern: RegExp): Promise<RegExpExecArray> {
    return this.#stderr.until((all) => pattern.exec(all.join('')) ?? undefined)
  }
}

// The ready-made runs of `runwright run --example`.
import type { CreateRunRequest } from '@runwright/client'
import { UsageError } from '../output/refusal.ts'

export async function findExample(name: string): Promise<CreateRunRequest> {
  // Loaded on demand: the contract takes longer to load than the rest of the command.
  const { courses } = await import('@runwright/contract')
  const course = courses.find((known) => known.name === name)
  if (course) return course.request
  throw new UsageError(`--example must be one of ${courses.map((known) => known.name).join(', ')}.`)
}

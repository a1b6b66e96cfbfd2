// Which of several items that are saved together replaces which.
import type { MemoryScope } from './area.ts'

/** `by` replaces `replaced` because it says the same. Both are ids. */
export interface Replacement {
  readonly by: string
  readonly replaced: string
}

interface TitledItem extends MemoryScope {
  readonly id: string
  readonly title: string
}

/**
 * The successor of each item that a later one replaces: the first later one with the same title and labels, or repeat.
 */
export function firstSuccessors(items: readonly TitledItem[], repeats: readonly Replacement[]): Map<string, string> {
  const replaces = (by: TitledItem, item: TitledItem) =>
    hasSameTitle(by, item) || repeats.some((repeat) => repeat.by === by.id && repeat.replaced === item.id)
  const successors = new Map<string, string>()
  for (const [index, item] of items.entries()) {
    const successor = items.slice(index + 1).find((later) => replaces(later, item))
    if (successor) successors.set(item.id, successor.id)
  }
  return successors
}

const hasSameTitle = (one: TitledItem, other: TitledItem): boolean =>
  one.title === other.title && one.workspaceId === other.workspaceId && one.subjectId === other.subjectId

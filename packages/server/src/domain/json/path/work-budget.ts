// The budget that selecting pays from: paths come from clients, and a short one can ask for endless work.

/** Steps that all paths of one request may take together: about 0.1 s, or 13 times `..name` on a full 256 KB. */
export const maxTagWork = 500_000

export class TagWorkExceeded extends Error {}

export interface TagWork {
  left: number
}

export function spend(work: TagWork, steps: number): void {
  work.left -= steps
  if (work.left < 0) throw new TagWorkExceeded()
}

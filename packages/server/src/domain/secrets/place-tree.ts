// A tree of places in a JSON document, with something noted at some of them.
import type { JsonLocation } from '../json/location.ts'

export class PlaceTree<Note> {
  note: Note | undefined
  readonly branches = new Map<string | number, PlaceTree<Note>>()

  /** The tree at `location`, made if it is not there yet. */
  grow(location: JsonLocation): PlaceTree<Note> {
    let tree: PlaceTree<Note> = this
    for (const part of location) {
      let branch = tree.branches.get(part)
      if (branch === undefined) {
        branch = new PlaceTree()
        tree.branches.set(part, branch)
      }
      tree = branch
    }
    return tree
  }

  /** The notes that no other note lies above. */
  outermost(): Note[] {
    if (this.note !== undefined) return [this.note]
    return [...this.branches.values()].flatMap((branch) => branch.outermost())
  }
}

// A tree of locations in a JSON document; any location may have a value.
import type { JsonLocation } from '@runwright/contract'

export class LocationTree<Value> {
  value: Value | undefined
  readonly children = new Map<string | number, LocationTree<Value>>()

  /** The node at `location`, created if it does not exist. */
  ensure(location: JsonLocation): LocationTree<Value> {
    let node: LocationTree<Value> = this
    for (const part of location) {
      let child = node.children.get(part)
      if (child === undefined) {
        child = new LocationTree()
        node.children.set(part, child)
      }
      node = child
    }
    return node
  }
}

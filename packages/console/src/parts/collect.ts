// Reads all items of a list, over all its pages. Not `Array.fromAsync`: some browsers do not have it.
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

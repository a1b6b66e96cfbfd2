// Reads the pages of a list, one after another.

interface Page {
  readonly next_cursor: string | null
}

/** `read` gets the cursor of the next page; undefined: that of the first one. */
export async function* pagesOf<P extends Page>(
  read: (cursor: string | undefined) => Promise<P>,
): AsyncGenerator<P, void, undefined> {
  let cursor: string | null | undefined
  do {
    const page: P = await read(cursor ?? undefined)
    yield page
    cursor = page.next_cursor
  } while (cursor !== null)
}

// Text of clients, models and tools as messages to people show it: nothing in it is invisible, and it has a limit.
import { visibleText } from '@runwright/contract'

/** In UTF-16 code units, as chats count. Never ends inside of a surrogate pair. */
export function shownText(text: string, maxLength: number): string {
  // Reads no more than can be shown: only CRLF becomes shorter, by half.
  const visible = visibleText(text.slice(0, 2 * maxLength + 1))
  if (visible.length <= maxLength) return visible
  const end = isHighSurrogate(visible.charCodeAt(maxLength - 2)) ? maxLength - 2 : maxLength - 1
  return `${visible.slice(0, end)}…`
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff

/** On one line, so that it cannot look like another part of the message. */
export const shownLine = (text: string, maxLength: number): string =>
  shownText(
    text
      .slice(0, 4 * maxLength)
      .replace(/\s+/g, ' ')
      .trim(),
    maxLength,
  )
